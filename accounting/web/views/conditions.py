"""Adds a condition to a page's address, for the form that every filtered page has."""

from urllib.parse import urlencode, urlsplit, urlunsplit

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from accounting.queries.grammar import RELATIONS
from accounting.web.asking import PLACES
from accounting.web.returning import way_back


@require_GET
def add_condition(request: HttpRequest) -> HttpResponse:
    """Back to the page that ?next= names, with one condition more; it says what it cannot read."""
    back = way_back(request)
    if not back:
        return redirect("overview")
    mark = request.GET.get("relation", "")
    parameter = request.GET.get("name", "") + (mark if mark in RELATIONS else "")
    parts = urlsplit(back)
    query = QueryDict(parts.query, mutable=True)
    for place in PLACES:
        query.pop(place, None)
    pairs = [(name, value) for name, values in query.lists() for value in values]
    if parameter:
        pairs.append((parameter, request.GET.get("value", "")))
    return redirect(urlunsplit(("", "", parts.path, urlencode(pairs), "")))
