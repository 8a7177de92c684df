"""Benchmarks: which deployment answers fast enough, and what that costs."""

from datetime import datetime
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.benchmarks import MOST_RUNS, RunKey, benchmark_runs, runs_side_by_side
from accounting.web.access import for_member
from accounting.web.forms.limits import LimitsForm
from accounting.web.run_limits import best_run
from accounting.web.run_lines import RunLine, pair_lines, run_line

PAGE_ROWS = 50


@require_GET
@for_member
def benchmarks(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The runs, newest first. ?beside=1: the one that another is to be put beside."""
    text, beside = request.GET.get("after", ""), request.GET.get("beside", "")
    chosen = _run(organization, int(beside)) if _is_id(beside) else None
    after = _key(text) if text else None
    page = benchmark_runs(organization.pk, limit=PAGE_ROWS, after=after)
    is_wrong = bool(text) and after is None
    limits = LimitsForm(request.GET if {"ttft", "tpot"} & request.GET.keys() else None)
    asked = limits.limits() if limits.is_bound else None
    context = {
        "organization": organization,
        "lines": [run_line(run) for run in page.runs],
        "chosen": chosen,
        "next": _text(page.runs[-1].key) if page.has_more else "",
        "is_first": not text,
        "limits": limits,
        "best": best_run(benchmark_runs(organization.pk, limit=MOST_RUNS).runs, asked)
        if asked
        else None,
        "is_choosing": "run" in request.GET,
        "refusal": _("This page of the table is not there. Shown is the first.")
        if is_wrong
        else "",
    }
    is_refused = is_wrong or (limits.is_bound and not limits.is_valid())
    return render(request, "benchmarks/page.html", context, status=400 if is_refused else 200)


@require_GET
@for_member
def one_run(request: HttpRequest, organization: Organization, run_id: int) -> HttpResponse:
    """One run: what it measured, its settings, and what its tool says of it."""
    line = _run(organization, run_id)
    if line is None:
        raise Http404
    context = {"organization": organization, "line": line}
    return render(request, "benchmarks/one.html", context)


@require_GET
@for_member
def two_runs(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Two runs side by side: ?run=1&run=2. With more or fewer it leads back to their list."""
    wanted = [int(text) for text in request.GET.getlist("run") if _is_id(text)]
    if len(wanted) != 2 or wanted[0] == wanted[1]:
        ticked = urlencode({"run": wanted or ""}, doseq=True)
        return redirect(f"{reverse('benchmarks')}?{ticked}")
    pair = runs_side_by_side(organization.pk, wanted[0], wanted[1])
    if pair is None:
        raise Http404
    context = {
        "organization": organization,
        "one": run_line(pair.one),
        "other": run_line(pair.other),
        "lines": pair_lines(pair),
        "differing": pair.differing,
    }
    return render(request, "benchmarks/two.html", context)


def _run(organization: Organization, run_id: int) -> RunLine | None:
    pair = runs_side_by_side(organization.pk, run_id, run_id)
    return run_line(pair.one) if pair else None


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 16


def _text(key: RunKey) -> str:
    return f"{key[0].isoformat()}~{key[1]}"


def _key(text: str) -> RunKey | None:
    written, _mark, number = text.partition("~")
    try:
        started = datetime.fromisoformat(written)
    except ValueError:
        return None
    return (started, int(number)) if started.tzinfo and _is_id(number) else None
