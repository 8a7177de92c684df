"""Whatever goes wrong in a view of the REST framework, as a problem."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpResponse, UnreadablePostError
from rest_framework import exceptions
from rest_framework.views import set_rollback

from accounting.api.problems import NO_KEY, ProblemError, problem, unavailable
from accounting.queries.filters import FilterError

#: The framework's own codes -> ours.
_CODES = {
    "not_authenticated": "unauthenticated",
    "authentication_failed": "bad_key",
    "permission_denied": "not_allowed",
    "parse_error": "bad_body",
    "throttled": "too_many_requests",
}


def problem_response(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    """The answer to an error; None for one that nobody foresaw, which is then a 500."""
    del context
    told = _told(error)
    if told is not None:
        set_rollback()
    return told


def _told(error: Exception) -> HttpResponse | None:
    match error:
        case FilterError():
            return problem(error.code, error.reason, parameter=error.parameter)
        case ProblemError():
            return error.response()
        case OperationalError() | InterfaceError():
            return unavailable()
        case RequestDataTooBig():
            return problem("too_large", "the body is longer than is taken here")
        case UnreadablePostError():
            is_late = isinstance(error.__cause__, TimeoutError)
            return problem("body_late" if is_late else "body_incomplete", "the body broke off")
        case _:
            return _framework_told(error)


def _framework_told(error: Exception) -> HttpResponse | None:
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    if isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    code = _code(error)
    detail = NO_KEY if code == "unauthenticated" else str(error.detail)
    wait = getattr(error, "wait", None)
    return problem(code, detail, headers={"Retry-After": str(int(wait))} if wait else None)


def _code(error: exceptions.APIException) -> str:
    codes = error.get_codes()
    code = codes if isinstance(codes, str) else error.default_code
    return _CODES.get(code, code)
