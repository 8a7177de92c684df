"""Repricing: a dry run that shows the difference, applying it, and taking it back."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounting.domain.errors import DomainError
from accounting.models import Organization, RepriceRun
from accounting.queries.filters import FilterError, usage_filter
from accounting.services.reprice_runs import RunStarted, apply_run, draft_run, undo_run
from accounting.tasks import reprice
from accounting.web import refusals
from accounting.web.access import changes, for_member
from accounting.web.forms.repricing import RepriceForm
from accounting.web.polling import polling
from accounting.web.reprice_lines import progress_of, run_lines, unpriced_lines

RUNS_SHOWN = 50


@require_http_methods(["GET", "POST"])
@changes("prices")
def repricing(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Choose what is rated again, and the runs so far; a POST starts a dry run."""
    form = RepriceForm(organization.pk, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            wanted = usage_filter(form.asked(), organization, timezone.now())
        except FilterError as error:
            form.add_error(None, refusals.told(error))
        else:
            started = draft_run(wanted=wanted, user_id=request.user.pk)
            return _carried_on(started)
    runs = RepriceRun.objects.of(organization.pk).select_related("created_by").order_by("-pk")
    context = {
        "organization": organization,
        "form": form,
        "runs": [(run, progress_of(run)) for run in runs[:RUNS_SHOWN]],
    }
    status = 422 if form.errors else 200
    return render(request, "repricing/page.html", context, status=status)


@require_GET
@for_member
def one_run(request: HttpRequest, organization: Organization, run_id: int) -> HttpResponse:
    """One run: its progress while it is at work, then the difference and what can be done."""
    runs = RepriceRun.objects.of(organization.pk).select_related("created_by")
    run = get_object_or_404(runs, pk=run_id)
    context = {
        "organization": organization,
        "run": run,
        "progress": progress_of(run),
        "found": run_lines(run),
        "unpriced": unpriced_lines(run),
        **polling(request),
    }
    part = "#run" if request.headers.get("HX-Request") else ""
    return render(request, f"repricing/one.html{part}", context)


@require_POST
@changes("prices")
def apply(request: HttpRequest, organization: Organization, run_id: int) -> HttpResponse:
    """Change what the dry run found."""
    return _begun(request, organization, run_id, apply_run)


@require_POST
@changes("prices")
def undo(request: HttpRequest, organization: Organization, run_id: int) -> HttpResponse:
    """Put back every charge that the run changed."""
    return _begun(request, organization, run_id, undo_run)


def _begun(
    request: HttpRequest,
    organization: Organization,
    run_id: int,
    begin: Callable[..., RunStarted],
) -> HttpResponse:
    get_object_or_404(RepriceRun.objects.of(organization.pk), pk=run_id)
    try:
        return _carried_on(begin(organization_id=organization.pk, run_id=run_id))
    except DomainError as error:
        messages.error(request, refusals.told(error), extra_tags="danger")
        return redirect("prices.reprice.one", run_id)


def _carried_on(started: RunStarted) -> HttpResponse:
    # A lost bell is found by the sweep, so a broker that is away costs half a minute and no answer.
    bell = partial(reprice.apply_async, (started.run_id,), retry=False)
    transaction.on_commit(bell, robust=True)
    return redirect("prices.reprice.one", started.run_id)
