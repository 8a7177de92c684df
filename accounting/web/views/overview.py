"""The overview: how much, where, and where the month will end."""

from dataclasses import replace
from functools import partial
from secrets import token_hex

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from accounting.models import Organization
from accounting.queries.comparing import comparison
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.overview import overview as overview_of
from accounting.queries.projection import check_history
from accounting.queries.reading import check_reading
from accounting.services import demo
from accounting.web import words
from accounting.web.access import changes, for_member
from accounting.web.asking import asked, refused
from accounting.web.buckets import fitting_bucket
from accounting.web.deltas import deltas
from accounting.web.options import word
from accounting.web.projection_panels import projection_panels
from accounting.web.sentences import told
from accounting.web.stacks import Drawing, stack_panels

#: Says that the page is wanted at once, without parts that come by themselves: who runs no scripts says it.
WHOLE = "whole"
#: How often the requests of a filter are read where no sums keep what it asks.
READINGS = 6
METRICS = (
    ("cost", gettext_lazy("Spend")),
    ("input_tokens", gettext_lazy("Input tokens")),
    ("output_tokens", gettext_lazy("Output tokens")),
    ("requests", gettext_lazy("Requests")),
)


@require_GET
@for_member
def overview(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The first page; three ways to start while the books are empty."""
    question = asked(request, organization, (WHOLE,), check=partial(_check, request))
    try:
        is_whole = bool(question.refusal or word(request, WHOLE, ("yes",)))
    except FilterError as error:
        question, is_whole = refused(question, error), True
    wanted = replace(question.wanted, bucket=fitting_bucket(question.wanted))
    found = overview_of(wanted, is_whole=is_whole)
    month = found.month
    context = {
        "organization": organization,
        "asked": question,
        "found": found,
        "panels": stack_panels(found.stack, wanted, found.ghosts, Drawing(query=request.GET)),
        "month": month,
        "ahead": projection_panels(month.projections, month.spent) if month else (),
        # New with each answer: what is still on its way for another question has nowhere to go then.
        "coming": "" if is_whole else token_hex(4),
        "told": told(found.totals.costs, found.change, comparison(wanted)),
        "comparisons": words.COMPARISONS,
        "deltas": deltas(found.totals, found.previous),
        "metrics": METRICS,
        "group": wanted.group or "model",
        "group_name": words.dimension(wanted.group or "model"),
        "bucket": wanted.bucket,
        "has_demo": demo.is_loaded(organization.pk),
        "origin": f"{request.scheme}://{request.get_host()}",
    }
    return render(request, "overview/page.html", context, status=question.status)


def _check(request: HttpRequest, wanted: UsageFilter) -> None:
    """Raise FilterError for what is too much to read."""
    check_reading(replace(wanted, bucket=fitting_bucket(wanted)), times=READINGS)
    if WHOLE in request.GET:
        check_history(wanted)


@require_POST
@changes("data")
def load_demo(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Fill the books with the sample data."""
    demo.load_demo(organization_id=organization.pk, now=timezone.now())
    messages.success(request, _("The sample data is in the books."), extra_tags="good")
    return redirect("/?range=90d")


@require_POST
@changes("data")
def remove_demo(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Take the sample data out again."""
    demo.remove_demo(organization_id=organization.pk)
    messages.success(request, _("The sample data is gone."), extra_tags="good")
    return redirect("overview")
