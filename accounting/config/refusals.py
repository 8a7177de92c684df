"""Answers to what no view could answer: pages in the site's look, problems for programs."""

import sys

from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import gettext as _
from django.views.decorators.csrf import requires_csrf_token

from accounting.api.codes import status_of
from accounting.api.problems import headers_of, problem, unavailable

#: Addresses that programs and scripts ask; everything else is a page.
FOR_PROGRAMS = ("/api/", "/openai/", "/mcp", "/metrics", "/imports/upload")


@requires_csrf_token
def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that is not understood: a wrong Host, a body or form that is too large, and the like."""
    if isinstance(exception, RequestDataTooBig):
        return _refused(request, "too_large", _("What was sent is longer than is taken here."))
    reason = _("Your browser sent something that is not understood here.")
    if isinstance(exception, DisallowedHost):
        reason = _(
            "This site does not answer to the host name in the address."
            " Whoever runs it can add the name to ALLOWED_HOSTS."
        )
    return _refused(request, "bad_request", reason)


@requires_csrf_token
def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Something that the person may not do; the exception says why."""
    reason = str(exception) or _(
        "You are signed in, but belong to no organization that has it."
        " An owner of the organization can add you."
    )
    return _refused(request, "not_allowed", reason)


def without_token(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that came without the token of its page, or with an old one."""
    del reason  # it is about cookies and headers, for developers
    return _refused(
        request,
        "not_allowed",
        _(
            "The form did not come from a page that is open in this browser, or the page is too old."
            " Nothing was changed. Go back, load the page again and send it once more;"
            " this site needs its cookies."
        ),
        page="403_csrf.html",
    )


@requires_csrf_token
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """An address that leads nowhere."""
    del exception  # it holds the list of addresses
    return _refused(request, "not_found", _("The address is wrong, or what it named is gone."))


@requires_csrf_token
def broken(request: HttpRequest) -> HttpResponse:
    """An error of ours, or a database that is away."""
    is_away = isinstance(sys.exception(), OperationalError | InterfaceError)
    if _is_for_programs(request):
        detail = "an error of Tallybook; it was written to the log"
        return unavailable() if is_away else problem("internal_error", detail)
    status = 503 if is_away else 500
    # Without the request: what broke may be what a context processor needs.
    page = loader.get_template(f"{status}.html").render()
    return HttpResponse(page, status=status, headers=headers_of(status))


def _refused(request: HttpRequest, code: str, reason: str, page: str = "") -> HttpResponse:
    if _is_for_programs(request):
        return problem(code, reason)
    status = status_of(code)
    return render(request, page or f"{status}.html", {"reason": reason}, status=status)


def _is_for_programs(request: HttpRequest) -> bool:
    return request.path_info.startswith(FOR_PROGRAMS)
