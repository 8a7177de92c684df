"""Explore: any metric over time, by one or two dimensions, drawn and as a table."""

from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.exploring import Explored, explore
from accounting.queries.exploring_latency import explore_latency
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.grammar import LATENCY_METRICS, METRICS, TAG
from accounting.queries.measures import RATIOS, measured
from accounting.queries.reading import check_reading
from accounting.queries.tag_keys import tag_keys
from accounting.web import words
from accounting.web.access import for_member
from accounting.web.asking import DAYS, PLACES, Asked, asked, carried, refused
from accounting.web.buckets import MOST_DRAWN, fitting_bucket
from accounting.web.deltas import metric_delta
from accounting.web.group_table import GroupTable, group_table
from accounting.web.latency_table import LatencyLines, latency_lines
from accounting.web.options import page_number, word
from accounting.web.panels import Panel
from accounting.web.ratio_panels import ratio_panels
from accounting.web.stacks import CHARTS, SHOWN, Drawing, stack_panels

ALSO = ("chart", "show", "order", "page")
#: What the form of the page asks for itself.
CONTROLS = frozenset({"metric", "group", "sub", "bucket", "chart", "show", "compare", "weekday"})
CHART_WORDS = {"bars": _("Bars"), "lines": pgettext_lazy("chart", "Lines")}
SHOWN_WORDS = {"": _("As it is"), "cumulative": _("Cumulative"), "share": _("Share of the whole")}


@dataclass(frozen=True, slots=True, kw_only=True)
class _View:
    """What the page's own parameters say."""

    drawing: Drawing
    order: str
    page: int


@require_GET
@for_member
def explore_page(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The cut that the address asks for; spend by day and model of the month without any."""
    question = asked(request, organization, ALSO, (*METRICS, *LATENCY_METRICS), check=_check)
    try:
        view = _view(request)
        if question.wanted.metric in LATENCY_METRICS:
            return _latencies(request, organization, question, view)
        found = explore(_cut(question.wanted))
        table = group_table(found, view.order, view.page)
    except FilterError as error:
        question = refused(question, error)
        view = _View(drawing=Drawing(query=request.GET), order="", page=1)
        if question.wanted.metric in LATENCY_METRICS:
            return _latencies(request, organization, question, view)
        found = explore(_cut(question.wanted))
        table = group_table(found, "", 1)
    context = {
        "organization": organization,
        "asked": question,
        "found": found,
        "table": table,
        "panels": _panels(found, view.drawing),
        "metric": words.METRICS[found.wanted.metric],
        "delta": _delta(found),
        "cost_column": table.columns[0],
        "other_columns": table.columns[1:],
        **_controls(request, question, found.wanted, view),
        **_headings(found.wanted, table),
    }
    return render(request, "explore/page.html", context, status=question.status)


def _latencies(
    request: HttpRequest, organization: Organization, question: Asked, view: _View
) -> HttpResponse:
    """The same page of a metric that is a latency."""
    found = explore_latency(_cut(question.wanted))
    table = latency_lines(found, view.page)
    context = {
        "organization": organization,
        "asked": question,
        "found": found,
        "latencies": table,
        "table": table,
        "panels": ratio_panels(
            found.wanted, found.points, found.rows, found.over_time, request.GET
        ),
        "metric": words.LATENCY_METRICS[found.wanted.metric],
        "delta": table.whole.delta,
        **_controls(request, question, found.wanted, view),
        **_headings(found.wanted, table),
    }
    return render(request, "explore/page.html", context, status=question.status)


def _view(request: HttpRequest) -> _View:
    return _View(
        drawing=Drawing(
            chart=word(request, "chart", CHARTS, CHARTS[0]),
            shown=word(request, "show", SHOWN),
            query=request.GET,
        ),
        order=request.GET.get("order", ""),
        page=page_number(request),
    )


def _check(wanted: UsageFilter) -> None:
    """Raise FilterError for what is too much to read: a single day is drawn by its hours."""
    check_reading(_cut(wanted))


def _cut(wanted: UsageFilter) -> UsageFilter:
    return replace(wanted, bucket=fitting_bucket(wanted), group=wanted.group or "model")


def _panels(found: Explored, drawing: Drawing) -> tuple[Panel, ...]:
    if found.wanted.metric in RATIOS:
        return ratio_panels(found.wanted, found.points, found.rows, found.whole, drawing.query)
    return stack_panels(
        found.stack, found.wanted, found.before.ghosts if found.before else (), drawing
    )


def _delta(found: Explored) -> object:
    if found.before is None:
        return None
    now = measured(found.totals, found.wanted)
    return metric_delta(found.wanted.metric, now, found.before.whole)


def _headings(wanted: UsageFilter, table: GroupTable | LatencyLines) -> dict[str, object]:
    """What the first columns are called, and how the chart and the table are paged."""
    return {
        "group_name": words.dimension(wanted.group),
        "sub_name": words.dimension(wanted.sub) if wanted.sub else "",
        "is_too_fine": len(wanted.buckets) > MOST_DRAWN,
        "back": table.page - 1,
        "on": table.page + 1 if table.page < table.pages else 0,
    }


def _controls(
    request: HttpRequest, question: Asked, wanted: UsageFilter, view: _View
) -> dict[str, object]:
    """Each choice of the form with what it stands at, and what the form carries along."""
    tags = {f"{TAG}{key}": words.dimension(f"{TAG}{key}") for key in tag_keys(wanted)}
    by = {**words.DIMENSIONS, **tags}
    return {
        "choices": (
            ("metric", _("Metric"), {**words.METRICS, **words.LATENCY_METRICS}, wanted.metric),
            ("group", _("Group by"), by, wanted.group),
            ("sub", _("Then by"), {"": _("Nothing else"), **by}, wanted.sub),
            ("bucket", _("Over"), words.BUCKETS, wanted.bucket),
            ("compare", _("Compare with"), words.COMPARISONS, wanted.compare),
            ("chart", _("Drawn as"), CHART_WORDS, view.drawing.chart),
            ("show", _("Shown"), SHOWN_WORDS, view.drawing.shown),
        ),
        "carried": carried(request.GET, CONTROLS | PLACES) if not question.refusal else (),
        "days": DAYS,
    }
