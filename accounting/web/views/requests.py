"""One session's requests, and why a single request costs what it costs."""

from datetime import timedelta

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.explain import event_of, explanations
from accounting.queries.session_requests import session_found
from accounting.web.access import for_member
from accounting.web.bills import bill_lines


@require_GET
@for_member
def session(request: HttpRequest, organization: Organization) -> HttpResponse:
    """What happened in the session that ?id= names."""
    found = session_found(organization.pk, request.GET.get("id", "").replace("\0", ""))
    if found is None:
        raise Http404
    context = {
        "organization": organization,
        "found": found,
        "span": found.events[-1].occurred_at - found.events[0].occurred_at
        if found.events
        else timedelta(),
    }
    return render(request, "sessions/one.html", context)


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
    }
    return render(request, "events/one.html", context)
