"""Statements around compiled querysets: unions that are summed, and sums over windows.

Django's own aggregate neither over a union nor, by group, over windows.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from accounting.queries.snapshots import CHUNK_ROWS

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A queryset as one part of a statement. around: SQL of ours in which {} stands for it."""

    rows: QuerySet[Any, Any]
    around: str = "{}"


def wrapped(
    statement: str, *inner: QuerySet[Any, Any] | Part, after: Sequence[Any] = ()
) -> list[Row]:
    """The rows of one statement around querysets, by the names of their columns.

    statement: SQL of ours in which each {} stands for the querysets in their order, joined by UNION
    ALL where there are more than one. after: parameters behind those of the querysets. A queryset
    that is known to be empty is left out; nothing is asked where all are.
    """
    return list(_rows(connection.cursor(), statement, inner, after))


def streamed(statement: str, *inner: QuerySet[Any, Any] | Part) -> Iterator[Row]:
    """The same rows, read from the server while they are used; to be asked inside a snapshot."""
    return _rows(connection.chunked_cursor(), statement, inner, ())


def _rows(
    opened: AbstractContextManager[Any],
    statement: str,
    inner: Sequence[QuerySet[Any, Any] | Part],
    after: Sequence[Any],
) -> Iterator[Row]:
    with opened as cursor:
        compiled = [part for queryset in inner if (part := _compiled(queryset))]
        if not compiled:
            return
        together = " UNION ALL ".join(f"({sql})" for sql, _ in compiled)
        parameters = [value for _, values in compiled for value in values]
        cursor.execute(statement.replace("{}", together), [*parameters, *after])
        names = [column.name for column in cursor.description or ()]
        while found := cursor.fetchmany(CHUNK_ROWS):
            for row in found:
                yield dict(zip(names, row, strict=True))


def _compiled(queryset: QuerySet[Any, Any] | Part) -> tuple[str, tuple[Any, ...]] | None:
    part = queryset if isinstance(queryset, Part) else Part(rows=queryset)
    try:
        sql, parameters = part.rows.query.sql_with_params()
    except EmptyResultSet:
        return None
    return part.around.replace("{}", sql), tuple(parameters)
