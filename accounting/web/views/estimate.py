"""Estimate: what credits or money buy at our prices, and what a session costs as it really runs."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from accounting.domain.errors import DomainError
from accounting.models import Organization
from accounting.queries.estimate_questions import estimate_question
from accounting.queries.estimates import Estimate, EstimateQuestion, estimate
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.prices import loaded_rates
from accounting.web import refusals
from accounting.web.access import for_member
from accounting.web.asking import DAYS, PRESETS, pinned
from accounting.web.forms.estimate import EstimateForm, Params, read_question
from accounting.web.periods import span

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
    if "range" in asked:  # the form of a page about certain days carries these along
        asked = {name: values for name, values in asked.items() if name not in DAYS - {"range"}}
    params = asked or _first_question(organization)
    refusal = ""
    try:
        question = _question(params, organization)
        found = estimate(question)
        if not asked and (currency := _priced_in(found)):
            params = {"money": ["100"], "currency": [currency], **FIRST_SESSION}
            question = _question(params, organization)
            found = estimate(question)
    except (FilterError, DomainError) as error:
        refusal = refusals.told(error)
        question = _question(_first_question(organization), organization)
        found = estimate(question)
    context = {
        "organization": organization,
        "form": EstimateForm(params, found),
        "found": found,
        "refusal": refusal,
        "link": _link(params, question),
        "range": question.segment.range,
        **_days(question.segment),
        "presets": PRESETS,
        "has_session": "turns" in params,
    }
    return render(request, "estimate/page.html", context, status=400 if refusal else 200)


def _question(params: Params, organization: Organization) -> EstimateQuestion:
    return estimate_question(params, organization, timezone.now())


def _priced_in(found: Estimate) -> str:
    """The currency of the first model's price, where no rate leads to any from what is asked; else ''."""
    priced = [side for side in found.models if side.prices is not None]
    if not priced or any(side.buys is not None for side in priced):
        return ""
    return priced[0].currency


def _link(params: Params, question: EstimateQuestion) -> str:
    """The page's parameters, those of a bare page too, with the days that are observed today."""
    query = QueryDict(mutable=True)
    for name, values in params.items():
        query.setlist(name, values)
    return pinned(query, question.segment)


def _days(segment: UsageFilter) -> dict[str, str]:
    """The observed days, where they are not called by a name."""
    if segment.range:
        return {}
    start, end = segment.start, segment.end
    return {
        "days": span(start, end),
        "from": start.isoformat(),
        "to": end.isoformat(),
    }


def _first_question(organization: Organization) -> Params:
    """2,500 credits where a credit has a price, else 100 of the organization's currency."""
    kinds = loaded_rates(organization.pk).conversions.kinds
    budget = {"credits": ["2500"]} if organization.credit_kind in kinds else {"money": ["100"]}
    return {**budget, **FIRST_SESSION}
