"""Cache: how much of the input came from caches, what that saved, and what moved it."""

from dataclasses import replace
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.cache import cache_savings
from accounting.queries.cache_moves import cache_moves
from accounting.queries.exploring import explore
from accounting.queries.reading import check_reading
from accounting.web import words
from accounting.web.access import for_member
from accounting.web.asking import asked
from accounting.web.buckets import fitting_bucket
from accounting.web.deltas import points
from accounting.web.ratio_panels import ratio_panels

METRIC = "cache_hit_rate"
#: How often the requests of a filter are read where no sums keep what it asks.
READINGS = 5


@require_GET
@for_member
def cache_page(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The caches of the filter, by model unless the address has another group."""
    question = asked(request, organization, check=partial(check_reading, times=READINGS))
    wanted = replace(
        question.wanted,
        group=question.wanted.group or "model",
        sub="",
        bucket=fitting_bucket(question.wanted),
        metric=METRIC,
    )
    found = explore(wanted)
    moves = cache_moves(wanted)
    context = {
        "organization": organization,
        "asked": question,
        "wanted": wanted,
        "found": found,
        "saved": cache_savings(wanted),
        "moves": moves,
        "delta": points(moves.after, moves.before) if moves else None,
        "panels": ratio_panels(
            wanted, found.points, found.rows, found.whole, request.GET, day_leads_to="sessions"
        ),
        "groups": words.DIMENSIONS,
        "group_name": words.dimension(wanted.group),
    }
    return render(request, "cache/page.html", context, status=question.status)
