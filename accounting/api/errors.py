"""Everything that goes wrong, as problem+json (RFC 9457)."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from accounting.queries.filters import FilterError

PROBLEM = "application/problem+json"


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """The answer to an error; None for one that nobody foresaw, which is then a 500."""
    del context
    match error:
        case FilterError():
            return problem(400, error.code, error.reason, parameter=error.parameter)
        case Http404():
            error = exceptions.NotFound()
        case PermissionDenied():
            error = exceptions.PermissionDenied()
    if not isinstance(error, exceptions.APIException):
        return None
    set_rollback()
    answer = problem(error.status_code, _code(error), str(error.detail))
    if header := getattr(error, "auth_header", None):
        answer["WWW-Authenticate"] = header
    if wait := getattr(error, "wait", None):
        answer["Retry-After"] = str(int(wait))
    return answer


def problem(status: int, code: str, detail: str, *, parameter: str = "") -> Response:
    """A problem document. code is stable, detail is for people, parameter says which one is wrong."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
    }
    if parameter:
        body["parameter"] = parameter
    return Response(body, status=status, content_type=PROBLEM)


def _code(error: exceptions.APIException) -> str:
    codes = error.get_codes()
    return codes if isinstance(codes, str) else error.default_code
