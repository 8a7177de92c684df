"""GET /api/v1/requests."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, PAGE_PARAMETERS, SESSION_FILTER_PARAMETERS
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.pagination import CURSOR, LIMIT, filtered_page
from accounting.api.requests_schema import RequestRowSerializer, RequestsAnswerSerializer
from accounting.api.views.base import CUT, BooksView, filter_of, parameters
from accounting.queries.requests import request_page
from accounting.queries.writing import written_range, written_totals
from accounting.queries.writing_requests import written_request


class RequestsView(BooksView):
    """The raw rows of the ledger."""

    @extend_schema(
        operation_id="requests",
        parameters=[
            *SESSION_FILTER_PARAMETERS,
            fields_parameter(RequestRowSerializer),
            *PAGE_PARAMETERS,
        ],
        responses={200: RequestsAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Requests, newest first, and the totals of the whole filter on every page."""
        params = parameters(request)
        wanted = filter_of(request, also=(CURSOR, LIMIT, FIELDS), without=CUT)
        refuse_other_fields(params, RequestRowSerializer)
        asked = filtered_page("requests", wanted, params)
        found = request_page(asked.wanted, limit=asked.page.limit, after=asked.page.after)
        rows = [written_request(row) for row in found.rows]
        return Response(
            {
                **written_range(asked.wanted),
                "rows": cut(rows, params, RequestRowSerializer),
                "totals": written_totals(found.totals),
                "next": asked.next(
                    found.rows[-1].key if found.rows else (), has_more=found.has_more
                ),
            }
        )
