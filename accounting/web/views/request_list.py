"""Requests: the raw rows of the books, newest first, page by page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounting.models import Organization
from accounting.queries.filters import FilterError
from accounting.queries.requests import RequestPage, request_page
from accounting.web.access import for_member
from accounting.web.asking import Asked, asked, refused
from accounting.web.cursors import request_cursor, request_key

ALSO = ("after",)
PAGE_ROWS = 100


@require_GET
@for_member
def request_list(request: HttpRequest, organization: Organization) -> HttpResponse:
    """One page of the filter's requests, with the sums of them all."""
    question = asked(request, organization, ALSO)
    after = request.GET.get("after", "")
    try:
        found = _page(question, after)
    except FilterError as error:
        question = refused(question, error)
        found = _page(question, "")
    context = {
        "organization": organization,
        "asked": question,
        "found": found,
        "next": request_cursor(found.rows[-1].key) if found.has_more else "",
        "is_first": not after,
    }
    return render(request, "requests/page.html", context, status=question.status)


def _page(question: Asked, after: str) -> RequestPage:
    key = request_key(after) if after else None
    return request_page(question.wanted, limit=PAGE_ROWS, after=key)
