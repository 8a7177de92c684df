"""Months: what each cost, and whether its costs may still change."""

from datetime import date

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounting.domain.errors import DomainError
from accounting.domain.periods import FIRST_YEAR, LAST_YEAR
from accounting.models import Organization
from accounting.queries.months import month_rows
from accounting.services.closed_months import close_month, open_month
from accounting.web import formatting, refusals
from accounting.web.access import changes, for_member


@require_GET
@for_member
def months(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Every month with usage, newest first."""
    context = {"organization": organization, "rows": month_rows(organization, timezone.now())}
    return render(request, "months/page.html", context)


@require_POST
@changes("months")
def close(request: HttpRequest, organization: Organization, month: str) -> HttpResponse:
    """Close a month that is over."""
    first = _first_day(month)
    try:
        close_month(organization_id=organization.pk, month=first, user_id=request.user.pk)
    except DomainError as error:
        messages.error(request, refusals.told(error), extra_tags="danger")
    else:
        said = _("%(month)s is closed: its costs stay as they are.")
        messages.success(request, said % {"month": formatting.month(first)}, extra_tags="good")
    return redirect("months")


@require_POST
@changes("months")
def reopen(request: HttpRequest, organization: Organization, month: str) -> HttpResponse:
    """Open a closed month again."""
    first = _first_day(month)
    try:
        open_month(organization_id=organization.pk, month=first)
    except DomainError as error:
        messages.error(request, refusals.told(error), extra_tags="danger")
    else:
        said = _("%(month)s is open: a repricing may change its costs.")
        messages.success(request, said % {"month": formatting.month(first)}, extra_tags="good")
    return redirect("months")


def _first_day(month: str) -> date:
    try:
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise Http404 from None
    if not FIRST_YEAR <= first.year <= LAST_YEAR:
        raise Http404
    return first
