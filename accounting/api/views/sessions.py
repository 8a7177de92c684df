"""GET /api/v1/sessions."""

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, PAGE_PARAMETERS, SESSION_FILTER_PARAMETERS
from accounting.api.pagination import (
    CURSOR,
    LIMIT,
    cursor_of,
    key_of,
    limit_of,
    question,
    single,
)
from accounting.api.serializers import SessionAnswerSerializer
from accounting.api.views.base import BooksView, books_of, parameters
from accounting.queries.filters import usage_filter
from accounting.queries.sessions import DEFAULT_ORDER, ORDERS, session_table
from accounting.queries.writing import written_range, written_session, written_whole

ORDER = "order"
ORDER_PARAMETER = OpenApiParameter(
    ORDER,
    description="'-' in front is downwards. Cost is compared in the organization's currency.",
    enum=[f"{sign}{name}" for name in ORDERS for sign in ("", "-")],
    default=DEFAULT_ORDER,
)


class SessionsView(BooksView):
    """Which conversations use and cost how much."""

    @extend_schema(
        operation_id="sessions",
        parameters=[*SESSION_FILTER_PARAMETERS, ORDER_PARAMETER, *PAGE_PARAMETERS],
        responses={200: SessionAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Sessions that started in the range; totals and median are over all of them."""
        params = parameters(request)
        also = (CURSOR, LIMIT, ORDER)
        wanted = usage_filter(params, books_of(request), timezone.now(), also=also)
        order = single(params, ORDER) or DEFAULT_ORDER
        asked = question("sessions", wanted, order)
        table = session_table(
            wanted, order=order, limit=limit_of(params), after=key_of(asked, params)
        )
        return Response(
            {
                **written_range(wanted),
                "rows": [written_session(row) for row in table.rows],
                "totals": written_whole(table.totals, table.summary),
                "next": cursor_of(asked, table.rows[-1].key) if table.has_more else None,
            }
        )
