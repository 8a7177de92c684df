"""GET /api/v1/sessions and /api/v1/sessions/{session_id}."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import (
    ERRORS,
    NOT_FOUND,
    PAGE_PARAMETERS,
    SESSION_FILTER_PARAMETERS,
    SHOWN_ZONE_PARAMETER,
)
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.pagination import CURSOR, LIMIT, filtered_page, page_of, single
from accounting.api.requests_schema import SessionTurnsSerializer, TurnRowSerializer
from accounting.api.units import CURRENCY, UNIT, UNIT_PARAMETERS, unit_of
from accounting.api.usage_schema import SessionAnswerSerializer, SessionSerializer
from accounting.api.views.base import (
    CUT,
    BooksView,
    books_of,
    filter_of,
    only_id_of,
    only_slug_of,
    parameters,
    refuse_others,
)
from accounting.api.zones import shown_zone
from accounting.queries.grammar import ZONE
from accounting.queries.session_turns import session_turns
from accounting.queries.sessions import DEFAULT_ORDER, ORDERS, session_table
from accounting.queries.writing import written_in, written_range, written_session, written_whole
from accounting.queries.writing_requests import written_session_head, written_turn

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
        parameters=[
            *SESSION_FILTER_PARAMETERS,
            ORDER_PARAMETER,
            *UNIT_PARAMETERS,
            fields_parameter(SessionSerializer),
            *PAGE_PARAMETERS,
        ],
        responses={200: SessionAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Sessions that started in the range; totals and median are over all of them."""
        params = parameters(request)
        also = (CURSOR, LIMIT, ORDER, FIELDS, CURRENCY, UNIT)
        wanted = filter_of(request, also=also, without=CUT)
        own = wanted.currency
        unit = unit_of(params, own)
        refuse_other_fields(params, SessionSerializer)
        asked = filtered_page("sessions", wanted, params)
        table = session_table(
            asked.wanted,
            order=single(params, ORDER) or DEFAULT_ORDER,
            limit=asked.page.limit,
            after=asked.page.after,
        )
        rows = [{**written_session(row), **written_in(row.totals, unit, own)} for row in table.rows]
        return Response(
            {
                **written_range(asked.wanted),
                "unit": unit,
                "rows": cut(rows, params, SessionSerializer),
                "totals": {
                    **written_whole(table.totals, table.summary),
                    **written_in(table.totals, unit, own),
                },
                "next": asked.next(
                    table.rows[-1].key if table.rows else (), has_more=table.has_more
                ),
            }
        )


class SessionView(BooksView):
    """What happened in one conversation."""

    @extend_schema(
        operation_id="session",
        parameters=[
            SHOWN_ZONE_PARAMETER,
            fields_parameter(TurnRowSerializer),
            *PAGE_PARAMETERS,
        ],
        responses={200: SessionTurnsSerializer, **ERRORS, **NOT_FOUND},
    )
    def get(self, request: Request, session_id: str) -> Response:
        """Its sums, and its rows in the order in which they started, at most 500 on a page."""
        refuse_others(request, (CURSOR, LIMIT, FIELDS, ZONE))
        params = parameters(request)
        organization = books_of(request)
        zone = shown_zone(params, organization)
        refuse_other_fields(params, TurnRowSerializer)
        page = page_of(f"session {session_id}", organization.pk, params, only=only_slug_of(request))
        found = None
        if "\0" not in session_id:
            found = session_turns(
                organization.pk,
                session_id,
                limit=page.limit,
                after=page.after,
                only_project_id=only_id_of(request),
            )
        if found is None:
            raise NotFound(f"there is no session {session_id[:200]!r}")
        rows = [written_turn(turn, zone) for turn in found.turns]
        return Response(
            {
                **written_session_head(found, zone),
                "time_zone": zone.key,
                "rows": cut(rows, params, TurnRowSerializer),
                "next": page.next(
                    found.turns[-1].key if found.turns else (), has_more=found.has_more
                ),
            }
        )
