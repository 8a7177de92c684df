"""GET /api/v1/usage."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, FILTER_PARAMETERS, PAGE_PARAMETERS
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.pagination import CURSOR, LIMIT, filtered_page
from accounting.api.units import CURRENCY, UNIT, UNIT_PARAMETERS, unit_of
from accounting.api.usage_schema import UsageAnswerSerializer, UsageRowSerializer
from accounting.api.views.base import BooksView, filter_of, parameters
from accounting.queries.sessions import session_summary
from accounting.queries.spend import usage_table
from accounting.queries.writing import written_in, written_range, written_row, written_whole


class UsageView(BooksView):
    """Usage and cost by time and dimension."""

    @extend_schema(
        operation_id="usage",
        parameters=[
            *FILTER_PARAMETERS,
            *UNIT_PARAMETERS,
            fields_parameter(UsageRowSerializer),
            *PAGE_PARAMETERS,
        ],
        responses={200: UsageAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Rows by bucket, group and sub, and the totals of the whole filter on every page.

        Tags overlap: a request with two tags counts once in the totals and in the rows of both.
        """
        params = parameters(request)
        wanted = filter_of(request, also=(CURSOR, LIMIT, FIELDS, CURRENCY, UNIT))
        unit = unit_of(params, wanted.currency)
        refuse_other_fields(params, UsageRowSerializer)
        asked = filtered_page("usage", wanted, params)
        table = usage_table(asked.wanted, limit=asked.page.limit, after=asked.page.after)
        own = wanted.currency
        rows = [{**written_row(row), **written_in(row.totals, unit, own)} for row in table.rows]
        return Response(
            {
                **written_range(asked.wanted),
                "unit": unit,
                "rows": cut(rows, params, UsageRowSerializer),
                "totals": {
                    **written_whole(table.totals, session_summary(asked.wanted)),
                    **written_in(table.totals, unit, own),
                },
                "next": asked.next(
                    table.rows[-1].key if table.rows else (), has_more=table.has_more
                ),
            }
        )
