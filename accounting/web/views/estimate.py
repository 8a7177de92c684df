"""Estimate: what credits or money buy at our prices, and what a session costs as it really runs."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounting.domain.errors import DomainError
from accounting.models import Organization
from accounting.queries.estimate_questions import estimate_question
from accounting.queries.estimates import Estimate, estimate
from accounting.queries.filters import FilterError
from accounting.queries.prices import loaded_rates
from accounting.web import refusals
from accounting.web.access import for_member
from accounting.web.asking import PRESETS
from accounting.web.forms.estimate import EstimateForm, Params, read_question

#: What a bare page asks: a conversation of eight turns, and what a budget buys.
FIRST_SESSION = {
    "turns": ["8"],
    "system_tokens": ["1000"],
    "user_tokens": ["200"],
    "answer_tokens": ["400"],
}


@require_GET
@for_member
def estimate_page(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The worked example, then the answer to what the address asks."""
    asked = read_question(request.GET)
    # The form comes with money filled in: whoever asks by credits need not empty that field first.
    left_out = asked.pop("money", None) if "credits" in asked else None
    params = asked or _first_question(organization)
    refusal, found = "", None
    try:
        found = _answer(params, organization)
    except (FilterError, DomainError) as error:
        refusal = refusals.told(error)
        found = _answer(_first_question(organization), organization)
    context = {
        "organization": organization,
        "form": EstimateForm(params, found),
        "found": found,
        "refusal": refusal,
        "money_left_out": left_out is not None,
        "range": params.get("range", ["30d"])[0],
        "presets": PRESETS,
        "has_session": "turns" in params,
    }
    return render(request, "estimate/page.html", context, status=400 if refusal else 200)


def _answer(params: Params, organization: Organization) -> Estimate:
    return estimate(estimate_question(params, organization, timezone.now()))


def _first_question(organization: Organization) -> Params:
    """2,500 credits where a credit has a price, else 100 of the organization's currency."""
    kinds = loaded_rates(organization.pk).conversions.kinds
    budget = {"credits": ["2500"]} if organization.credit_kind in kinds else {"money": ["100"]}
    return {**budget, **FIRST_SESSION}
