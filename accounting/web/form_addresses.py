"""Addresses that only take forms: whoever opens one in a browser comes to the page around it.

A refused form is shown at the address that it was sent to. A change of language there, a reload by the
address bar or a bookmark asks for it by GET.
"""

from collections.abc import Callable
from http import HTTPStatus

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import resolve

type Answer = Callable[[HttpRequest], HttpResponse]


def leading_back(get_response: Answer) -> Answer:
    """Middleware: answer a person's GET of a form's address with the page around it."""

    def answer(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        is_form = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and request.method == "GET"
        # Doors for programs say in JSON what they take, whatever a program accepts.
        is_answered = bool(getattr(response, "content", b""))
        if is_form and not is_answered and "text/html" in request.headers.get("Accept", ""):
            return HttpResponseRedirect(page_around(request.path))
        return response

    return answer


def page_around(path: str) -> str:
    """The nearest address above a path that this site knows."""
    parts = path.strip("/").split("/")
    for length in range(len(parts) - 1, 0, -1):
        above = f"/{'/'.join(parts[:length])}/"
        try:
            resolve(above)
        except Http404:
            continue
        return above
    return "/"
