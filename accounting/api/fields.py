"""The parameter `fields`: which fields of each row are wanted. Rows without it have all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from accounting.api.pagination import single
from accounting.queries.filters import FilterError
from accounting.queries.writing import Written

FIELDS = "fields"


class SparseSerializer(serializers.Serializer[Any]):
    """A row of which `fields` may leave something out, so that no field is sure to be there."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        """The declared fields, none of them required."""
        found = super().get_fields()
        for field in found.values():
            field.required = False
        return found


def fields_parameter(row: type[SparseSerializer]) -> OpenApiParameter:
    """The parameter for rows of this shape."""
    return OpenApiParameter(
        FIELDS,
        {"type": "array", "items": {"type": "string", "enum": list(row().get_fields())}},
        explode=False,
        description="Only these fields of each row, separated by commas.",
    )


def cut(
    rows: Iterable[Written], params: Mapping[str, Sequence[str]], row: type[SparseSerializer]
) -> list[Written]:
    """The rows with the fields that are asked for. Raises FilterError for a field they have not."""
    rows = list(rows)
    wanted = _wanted(params, tuple(row().get_fields()))
    if wanted is None:
        return rows
    return [{name: row[name] for name in wanted} for row in rows]


def refuse_other_fields(params: Mapping[str, Sequence[str]], row: type[SparseSerializer]) -> None:
    """FilterError for a field that rows of this shape have not: before anything is asked."""
    _wanted(params, tuple(row().get_fields()))


def _wanted(params: Mapping[str, Sequence[str]], known: tuple[str, ...]) -> tuple[str, ...] | None:
    text = single(params, FIELDS)
    if not text:
        return None
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
    for name in names:
        if name not in known:
            raise FilterError(
                "unknown_field", f"{FIELDS}: {name[:80]!r}, there are {', '.join(known)}", FIELDS
            )
    return names
