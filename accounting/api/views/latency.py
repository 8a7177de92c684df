"""GET /api/v1/latency."""

from functools import partial

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, LATENCY_PARAMETERS, PAGE_PARAMETERS
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.latency_schema import LatencyAnswerSerializer, LatencyRowSerializer
from accounting.api.pagination import CURSOR, LIMIT, filtered_page
from accounting.api.views.base import BooksView, filter_of, parameters
from accounting.queries.latency import latency_table
from accounting.queries.reading import check_reading
from accounting.queries.writing import written_range
from accounting.queries.writing_latency import written_latencies, written_latency_row

#: What a page draws and compares says nothing here.
_OF_PAGES = ("metric", "compare", "weekday")
_check = partial(check_reading, is_of_latencies=True)


class LatencyView(BooksView):
    """How long requests took: until the first token, for each one after it, until the end."""

    @extend_schema(
        operation_id="latency",
        parameters=[*LATENCY_PARAMETERS, fields_parameter(LatencyRowSerializer), *PAGE_PARAMETERS],
        responses={200: LatencyAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Percentiles by bucket, group and sub, and of the whole filter on every page.

        Percentiles do not add up: those of the whole are no mean of the rows.
        """
        params = parameters(request)
        wanted = filter_of(request, also=(CURSOR, LIMIT, FIELDS), without=_OF_PAGES, check=_check)
        refuse_other_fields(params, LatencyRowSerializer)
        asked = filtered_page("latency", wanted, params)
        table = latency_table(asked.wanted)
        after, limit = asked.page.after, asked.page.limit
        rest = [row for row in table.rows if not after or row.key > after]
        rows = [written_latency_row(row) for row in rest[:limit]]
        return Response(
            {
                **written_range(asked.wanted),
                "is_slow": table.is_slow,
                "rows": cut(rows, params, LatencyRowSerializer),
                "totals": written_latencies(table.whole),
                "next": asked.next(
                    rest[limit - 1].key if len(rest) > limit else (), has_more=len(rest) > limit
                ),
            }
        )
