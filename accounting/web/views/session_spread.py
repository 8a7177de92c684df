"""How sessions are spread: a page of its own, and a part of the sessions page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.session_spread import session_spread
from accounting.web.access import for_member
from accounting.web.asking import asked
from accounting.web.spread_panels import cost_curve, ratio_histogram, token_cloud


@require_GET
@for_member
def spread_page(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The charts of the filter's sessions; only they, when another page asks for them."""
    question = asked(request, organization, ("order", "after"))
    spread = session_spread(question.wanted)
    panels = (
        ratio_histogram(spread),
        cost_curve(spread, organization.currency),
        token_cloud(spread),
    )
    context = {
        "organization": organization,
        "asked": question,
        "spread": spread,
        "ratios": panels[0],
        "costs": panels[1],
        "cloud": panels[2],
        "unpriced": spread.sessions - spread.priced,
    }
    part = "#charts" if request.headers.get("HX-Request-Type") == "partial" else ""
    return render(request, f"sessions/spread.html{part}", context, status=question.status)
