"""GET /api/v1/usage."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, FILTER_PARAMETERS, PAGE_PARAMETERS
from accounting.api.pagination import CURSOR, LIMIT, cursor_of, key_of, limit_of, question
from accounting.api.serializers import UsageAnswerSerializer
from accounting.api.views.base import BooksView, books_of, parameters
from accounting.queries.filters import usage_filter
from accounting.queries.sessions import session_summary
from accounting.queries.spend import usage_table
from accounting.queries.writing import written_range, written_row, written_whole


class UsageView(BooksView):
    """Usage and cost by time and dimension."""

    @extend_schema(
        operation_id="usage",
        parameters=[*FILTER_PARAMETERS, *PAGE_PARAMETERS],
        responses={200: UsageAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Rows by bucket, group and sub, and the totals of the whole filter on every page."""
        params = parameters(request)
        wanted = usage_filter(params, books_of(request), timezone.now(), also=(CURSOR, LIMIT))
        asked = question("usage", wanted)
        table = usage_table(wanted, limit=limit_of(params), after=key_of(asked, params))
        return Response(
            {
                **written_range(wanted),
                "rows": [written_row(row) for row in table.rows],
                "totals": written_whole(table.totals, session_summary(wanted)),
                "next": cursor_of(asked, table.rows[-1].key) if table.has_more else None,
            }
        )
