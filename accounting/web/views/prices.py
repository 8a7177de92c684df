"""Prices and rates: what is paid per million, what has no price yet, and what a credit costs."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from accounting.domain.errors import DomainError
from accounting.models import CreditRate, Organization
from accounting.queries.filters import first_day
from accounting.queries.prices import models_without_price, price_table_in_force
from accounting.services import pricebooks
from accounting.web.access import for_member
from accounting.web.forms.prices import CreditRateForm, PriceForm, own_book
from accounting.web.price_lines import COLUMNS, filled_columns, price_lines

LINES_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """The page's two forms, as they stand."""

    price: PriceForm
    credit: CreditRateForm


@require_GET
@for_member
def prices(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The list in force, searched by model, and the models without a price."""
    return _page(request, organization, _blank_forms(request, organization))


@require_POST
@for_member
def add(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Enter a version of a model's prices; what was unpriced from its day on is priced at once."""
    form = PriceForm(request.POST)
    if form.is_valid():
        try:
            changed = pricebooks.add_rates(
                form.rows(organization.time_zone),
                organization=organization,
                book=own_book(form.cleaned_data["currency"]),
                by=pricebooks.Author(user=request.user.get_username()),
            )
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _said(form, changed), extra_tags="good")
            return redirect("prices")
    forms = Forms(price=form, credit=_blank_forms(request, organization).credit)
    return _page(request, organization, forms, status=422)


@require_POST
@for_member
def add_credit_rate(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Say what a credit costs from a day on."""
    form = CreditRateForm(request.POST)
    if form.is_valid():
        try:
            pricebooks.add_credit_rate(
                form.row(organization.credit_kind, organization.time_zone),
                organization=organization,
                by=pricebooks.Author(user=request.user.get_username()),
            )
        except DomainError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("The credit rate is in the books."), extra_tags="good")
            return redirect("prices")
    forms = Forms(price=_blank_forms(request, organization).price, credit=form)
    return _page(request, organization, forms, status=422)


def _page(
    request: HttpRequest, organization: Organization, forms: Forms, status: int = 200
) -> HttpResponse:
    now = timezone.now()
    search = request.GET.get("search", "").strip()[:200].replace("\0", "")
    lines = price_lines(price_table_in_force(organization.pk, at=now, model=search))
    shown = lines[:LINES_SHOWN]
    context = {
        "organization": organization,
        "forms": forms,
        "columns": [str(label) for _unit, label in COLUMNS if str(label) in filled_columns(shown)],
        "search": search,
        "lines": shown,
        "count": len(lines),
        "missing": models_without_price(organization.pk),
        "credit_rates": CreditRate.objects.filter(
            organization=organization, superseded_version=None
        ).order_by("-effective_from"),
    }
    return render(request, "prices/page.html", context, status=status)


def _said(form: PriceForm, changed: pricebooks.PricesChanged) -> str:
    model = form.cleaned_data["model"]
    if changed.version is None:
        return _("These prices of %(model)s were in the books already.") % {"model": model}
    return ngettext(
        "The prices of %(model)s are in the books; %(n)d request has a cost now.",
        "The prices of %(model)s are in the books; %(n)d requests have a cost now.",
        changed.newly_priced,
    ) % {"model": model, "n": changed.newly_priced}


def _blank_forms(request: HttpRequest, organization: Organization) -> Forms:
    """Both forms, the first one about the model that a link names, from the first day of usage on."""
    today = timezone.localdate()
    start = first_day(organization) or today
    about = {
        "provider": request.GET.get("provider", ""),
        "model": request.GET.get("model", ""),
        "currency": organization.currency,
        "effective_from": start,
    }
    return Forms(
        price=PriceForm(initial=about),
        credit=CreditRateForm(initial={"currency": organization.currency, "effective_from": start}),
    )
