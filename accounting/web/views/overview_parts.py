"""Parts of the Overview that come by themselves, each of which is a page too: sessions, projects, and the month's end."""

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.overview import leading_projects
from accounting.queries.projection import check_history, month_ahead
from accounting.queries.sessions import session_summary
from accounting.web.access import for_member
from accounting.web.asking import Asked, asked
from accounting.web.projection_panels import projection_panels


@require_GET
@for_member
def median_session(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The ratio of the filter's median session."""
    question = asked(request, organization)
    found = {"sessions": session_summary(question.wanted)}
    return _part(request, organization, question, "overview/median.html", found)


@require_GET
@for_member
def top_projects(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The projects with most of the metric."""
    question = asked(request, organization)
    found = {"projects": leading_projects(question.wanted)}
    return _part(request, organization, question, "overview/projects.html", found)


@require_GET
@for_member
def month_end(request: HttpRequest, organization: Organization) -> HttpResponse:
    """The month that is running, and where it will end."""
    question = asked(request, organization, check=check_history)
    month = month_ahead(question.wanted)
    found = {"month": month, "ahead": projection_panels(month.projections, month.spent)}
    return _part(request, organization, question, "overview/month.html", found)


def _part(
    request: HttpRequest,
    organization: Organization,
    question: Asked,
    template: str,
    found: Mapping[str, object],
) -> HttpResponse:
    """The page, or only what the Overview leaves room for when it asks."""
    context = {"organization": organization, "asked": question, **found}
    part = "#part" if request.headers.get("HX-Request-Type") == "partial" else ""
    return render(request, template + part, context, status=question.status)
