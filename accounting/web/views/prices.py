"""Prices and rates: what is paid per million, what has no price yet, and what a credit costs."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from accounting.domain.errors import DomainError
from accounting.domain.naming import provider_id
from accounting.domain.price_lints import Finding
from accounting.domain.units import UNITS
from accounting.models import CreditRate, Organization, Rate
from accounting.queries.exchange import exchange_rates, unconverted_currencies
from accounting.queries.filters import first_day, usage_filter
from accounting.queries.price_pages import price_page as page_of_prices
from accounting.queries.spend import usage_totals
from accounting.queries.unpriced import models_without_price
from accounting.services import pricebooks
from accounting.web import formatting, refusals
from accounting.web.access import changes, for_member
from accounting.web.forms.exchange import ExchangeRateForm, blank_exchange_rate
from accounting.web.forms.price_names import AliasForm
from accounting.web.forms.prices import CreditRateForm, PriceForm, own_book
from accounting.web.polling import number
from accounting.web.price_lines import COLUMNS, decimals_by_column, filled_columns, price_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Forms:
    """The page's forms as they stand, None for a blank one; findings: doubts about entered prices."""

    price: PriceForm | None = None
    credit: CreditRateForm | None = None
    exchange: ExchangeRateForm | None = None
    alias: AliasForm | None = None
    findings: tuple[Finding, ...] = ()


@require_GET
@for_member
def prices(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The list in force, searched by model, and the models without a price."""
    return price_page(request, organization, Forms())


@require_POST
@changes("prices")
def add(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Enter a version of a model's prices; what was unpriced from its day on is priced at once.

    Where something looks wrong about them, the page says what and asks to confirm it.
    """
    form = PriceForm(request.POST)
    findings: tuple[Finding, ...] = ()
    if form.is_valid():
        author = pricebooks.Author(
            user=request.user.get_username(), confirmed=form.cleaned_data["confirmed"]
        )
        before, replaced = _spent(organization, form), _same_day(organization, form)
        try:
            changed = pricebooks.add_rates(
                form.rows(organization.time_zone),
                organization=organization,
                book=own_book(form.cleaned_data["currency"]),
                by=author,
            )
        except DomainError as error:
            form.add_error(None, refusals.told(error))
        else:
            if not changed.is_refused:
                said = _said(form, changed, replaced)
                if (after := _spent(organization, form)) != before:
                    said += formatting.mark(" ") + _moved(
                        before, after, form.cleaned_data["currency"]
                    )
                messages.success(request, said, extra_tags="good")
                return redirect("prices")
            findings = changed.findings
    return price_page(request, organization, Forms(price=form, findings=findings), status=422)


@require_POST
@changes("prices")
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
            form.add_error(None, refusals.told(error))
        else:
            messages.success(request, _("The credit rate is in the books."), extra_tags="good")
            return redirect("prices")
    return price_page(request, organization, Forms(credit=form), status=422)


def price_page(
    request: HttpRequest, organization: Organization, forms: Forms, status: int = 200
) -> HttpResponse:
    """The page, with forms as they stand or blank ones."""
    now = timezone.now()
    search = request.GET.get("search", "").strip()[:200].replace("\0", "")
    page = page_of_prices(organization.pk, at=now, model=search, number=number(request, "page"))
    shown = price_lines(page.rows)
    start = first_day(organization) or timezone.localdate()
    unconverted = unconverted_currencies(organization.pk)
    context = {
        "organization": organization,
        "price_form": forms.price or _blank_price(request, organization, start),
        "credit_form": forms.credit
        or CreditRateForm(initial={"currency": organization.currency, "effective_from": start}),
        "exchange_form": forms.exchange or blank_exchange_rate(organization, unconverted, start),
        "alias_form": forms.alias or _blank_alias(request, organization),
        "is_entering": bool(forms.price or request.GET.get("model")),
        "is_naming": bool(forms.alias or request.GET.get("alias")),
        "findings": forms.findings,
        "decimals": decimals_by_column(shown),
        "columns": [str(label) for _unit, label in COLUMNS if str(label) in filled_columns(shown)],
        "search": search,
        "page": page,
        "lines": shown,
        "missing": models_without_price(organization.pk),
        "unconverted": unconverted,
        "exchange_rates": exchange_rates(organization.pk, at=now),
        "credit_rates": list(
            CreditRate.objects.filter(organization=organization, superseded_version=None).order_by(
                "-effective_from"
            )
        ),
    }
    return render(request, "prices/page.html", context, status=status)


def _said(form: PriceForm, changed: pricebooks.PricesChanged, replaced: list[str]) -> str:
    model = form.cleaned_data["model"]
    if changed.version is None:
        return _("These prices of %(model)s were in the books already.") % {"model": model}
    words = {"model": model, "shown": formatting.exact(changed.newly_priced)}
    said = _("The prices of %(model)s are in the books.") % words
    if changed.newly_priced:
        said = (
            ngettext(
                "The prices of %(model)s are in the books; %(shown)s request has a cost now.",
                "The prices of %(model)s are in the books; %(shown)s requests have a cost now.",
                changed.newly_priced,
            )
            % words
        )
    if replaced:
        said += formatting.mark(" ") + _(
            "They replace what was entered for the same day: %(prices)s."
        ) % {"prices": formatting.listed(replaced)}
    return said


def _same_day(organization: Organization, form: PriceForm) -> list[str]:
    """The prices that those of a form replace, because they hold from the same day on: input 0.50."""
    entered = {row.unit: row for row in form.rows(organization.time_zone)}
    standing = Rate.objects.filter(
        book__organization=organization,
        book__code=own_book(form.cleaned_data["currency"]).code,
        model__name=form.cleaned_data["model"],
        model__provider=provider_id(form.cleaned_data["provider"]),
        unit__in=entered,
        effective_from=next(iter(entered.values())).effective_from,
        superseded_version=None,
        input_gt=None,
        conditions={},
    )
    return [
        _quoted(rate)
        for rate in standing.order_by("unit")
        if rate.price * entered[rate.unit].per != entered[rate.unit].price * rate.per
    ]


def _quoted(rate: Rate) -> str:
    """A price as the list says it; what is no price of a million tokens says for how many it is."""
    unit, price = UNITS[rate.unit], formatting.unit_price(rate.price)
    if unit.is_token and rate.per == unit.per:
        return f"{rate.unit} {price}"
    return f"{rate.unit} {price} / {formatting.exact(rate.per)}"


def _spent(organization: Organization, form: PriceForm) -> Decimal:
    """What a form's model has cost in its currency, over all days."""
    asked = {"range": ["all"], "model": [form.cleaned_data["model"]]}
    totals = usage_totals(usage_filter(asked, organization, timezone.now()))
    return totals.cost_in(form.cleaned_data["currency"])


def _moved(before: Decimal, after: Decimal, currency: str) -> str:
    return _("All its usage has cost %(after)s %(currency)s; before, it was %(before)s.") % {
        "after": formatting.money(after),
        "before": formatting.money(before),
        "currency": currency,
    }


def _blank_price(request: HttpRequest, organization: Organization, start: date) -> PriceForm:
    """The form about the model that a link names, from the first day of usage on."""
    about = {
        "provider": request.GET.get("provider", ""),
        "model": request.GET.get("model", ""),
        "currency": organization.currency,
        "effective_from": start,
    }
    return PriceForm(initial=about)


def _blank_alias(request: HttpRequest, organization: Organization) -> AliasForm:
    """The form about the name that a link brings."""
    named = request.GET.get("alias", "")
    about = {"alias": named, "provider": request.GET.get("provider", "") if named else ""}
    return AliasForm(organization.pk, initial=about)
