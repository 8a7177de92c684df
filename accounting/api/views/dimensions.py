"""GET /api/v1/dimensions and /api/v1/dimensions/{name}."""

from dataclasses import replace

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import (
    ERRORS,
    NOT_FOUND,
    PAGE_PARAMETERS,
    SESSION_FILTER_PARAMETERS,
)
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.pagination import CURSOR, LIMIT, filtered_page
from accounting.api.usage_schema import (
    DimensionsAnswerSerializer,
    ValuesAnswerSerializer,
    ValueSerializer,
)
from accounting.api.views.base import CUT, BooksView, filter_of, however_long, parameters
from accounting.queries.grammar import (
    ATTRIBUTES,
    DIMENSIONS,
    HOUR_DIMENSIONS,
    RELATIONS,
    TAG,
    is_dimension,
)
from accounting.queries.grammar import (
    FIELDS as CONDITIONS_ALONE,
)
from accounting.queries.reading import check_reading
from accounting.queries.spend import usage_table
from accounting.queries.tag_keys import tag_keys
from accounting.queries.writing import Written, written_range

_NAMES = {
    "rollup": HOUR_DIMENSIONS,
    "attribute": ATTRIBUTES,
    "field": CONDITIONS_ALONE,
}


class DimensionsView(BooksView):
    """What usage can be grouped and filtered by."""

    @extend_schema(
        operation_id="dimensions",
        parameters=SESSION_FILTER_PARAMETERS,
        responses={200: DimensionsAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Every name, and the tag keys of the range as tag:<key>."""
        wanted = filter_of(request, without=CUT)
        tags = {"tag": tuple(f"{TAG}{key}" for key in tag_keys(wanted))}
        rows = [
            {"name": name, "kind": kind, "relations": list(RELATIONS.values())}
            for kind, names in (_NAMES | tags).items()
            for name in names
        ]
        return Response({**written_range(wanted), "rows": rows})


class DimensionView(BooksView):
    """The values of one dimension."""

    @extend_schema(
        operation_id="dimension_values",
        parameters=[
            *SESSION_FILTER_PARAMETERS,
            fields_parameter(ValueSerializer),
            *PAGE_PARAMETERS,
        ],
        responses={200: ValuesAnswerSerializer, **ERRORS, **NOT_FOUND},
    )
    def get(self, request: Request, name: str) -> Response:
        """The values that the filter's usage has, in order; name~ narrows them to what contains a text."""
        if not is_dimension(name):
            known = ", ".join((*DIMENSIONS, f"{TAG}<key>"))
            raise NotFound(f"{name[:80]!r} is no dimension with values; there are {known}")
        params = parameters(request)
        wanted = replace(
            filter_of(request, also=(CURSOR, LIMIT, FIELDS), without=CUT, check=however_long),
            group=name,
        )
        check_reading(wanted)
        refuse_other_fields(params, ValueSerializer)
        asked = filtered_page(f"dimension {name}", wanted, params)
        table = usage_table(asked.wanted, limit=asked.page.limit, after=asked.page.after)
        rows: list[Written] = [
            {
                "value": row.group.value,
                "label": row.group.label,
                "requests": row.totals.requests,
            }
            for row in table.rows
            if row.group
        ]
        return Response(
            {
                **written_range(asked.wanted),
                "rows": cut(rows, params, ValueSerializer),
                "next": asked.next(
                    table.rows[-1].key if table.rows else (), has_more=table.has_more
                ),
            }
        )
