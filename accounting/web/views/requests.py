"""One session's requests, and why a single request costs what it costs."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounting.domain.usage import PURPOSES
from accounting.models import Organization
from accounting.queries.explain import event_of, explanations
from accounting.queries.filters import FilterError
from accounting.queries.session_turns import SessionTurns, session_turns
from accounting.queries.turn_bills import turn_bills
from accounting.web.access import for_member
from accounting.web.bills import bill_lines
from accounting.web.cursors import request_cursor, request_key
from accounting.web.returning import list_before
from accounting.web.turn_panels import turn_panel

#: The price line of each row is shown, and computing one takes a millisecond.
PAGE_TURNS = 100


@require_GET
@for_member
def session(request: HttpRequest, organization: Organization) -> HttpResponse:
    """What happened in the session that ?id= names, from its first row or behind the cursor ?after=."""
    session_id = request.GET.get("id", "").replace("\0", "")
    after = request.GET.get("after", "")
    found = _session(organization, session_id, after)
    if found is None:
        raise Http404
    bills = turn_bills(organization.pk, found)
    context = {
        "organization": organization,
        "found": found,
        "lines": {key: bill_lines(explained) for key, explained in bills.items()},
        "panel": turn_panel(found.turns, has_more=found.has_more),
        "next": request_cursor(found.turns[-1].key) if found.has_more else "",
        "is_first": not after,
        "before": list_before(request),
    }
    return render(request, "sessions/one.html", context)


def _session(organization: Organization, session_id: str, after: str) -> SessionTurns | None:
    """A page of the session's rows; of benchmarks only where no usage has this id."""
    try:
        key = request_key(after) if after else None
    except FilterError:
        return None
    pages = (
        session_turns(organization.pk, session_id, purpose=purpose, limit=PAGE_TURNS, after=key)
        for purpose in PURPOSES
    )
    return next((page for page in pages if page), None)


@require_GET
@for_member
def event(request: HttpRequest, organization: Organization, key: str) -> HttpResponse:
    """One request: its counts, its bill computed again, and where both come from."""
    found = event_of(organization.pk, key)
    if found is None:
        raise Http404
    explained = explanations(organization.pk, [found])[0]
    context = {
        "organization": organization,
        "event": found,
        "explained": explained,
        "lines": bill_lines(explained),
        "has_no_price": found.cost_state == "unpriced",
        "before": list_before(request),
    }
    return render(request, "events/one.html", context)
