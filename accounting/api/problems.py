"""Refusals as RFC 9457 problems: one shape for every answer of REST that is none."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, JsonResponse

from accounting.api.codes import status_of

PROBLEM = "application/problem+json"
REALM = 'Bearer realm="Tallybook"'
NO_KEY = "send a valid key as 'Authorization: Bearer …' or 'X-Api-Key: …'"
RETRY_AFTER_S = 5
#: Headers without which an answer of this status says too little.
_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": REALM},
    429: {"Retry-After": str(RETRY_AFTER_S)},
    503: {"Retry-After": str(RETRY_AFTER_S)},
}


class ProblemError(Exception):
    """Raised in a view to answer with a problem. code: of accounting.api.codes."""

    def __init__(self, code: str, detail: str, *, parameter: str = "", **headers: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.parameter = parameter
        self.headers = headers

    def response(self) -> HttpResponse:
        """The answer that says so."""
        return problem(self.code, self.detail, parameter=self.parameter, headers=self.headers)


def problem(
    code: str,
    detail: str,
    *,
    parameter: str = "",
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """A problem+json answer.

    code: a stable word for programs; detail: for people; parameter: which one is wrong; more: further
    members. headers win over those that the status brings along.
    """
    values = problem_values(code, detail, parameter=parameter)
    return JsonResponse(
        {**values, **(more or {})},
        status=values["status"],
        headers={**headers_of(values["status"]), **(headers or {})},
        content_type=PROBLEM,
        json_dumps_params={"ensure_ascii": False},
    )


def problem_values(code: str, detail: str, *, parameter: str = "") -> dict[str, Any]:
    """The members of a problem."""
    status = status_of(code)
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        **({"parameter": parameter} if parameter else {}),
    }


def headers_of(status: int) -> Mapping[str, str]:
    """The headers that every refusal of this status has."""
    return _HEADERS.get(status, {})


def unavailable() -> HttpResponse:
    """The books cannot be reached; nothing was kept, the same request may come again."""
    detail = "the database cannot be reached, nothing was kept; send it again"
    return problem("unavailable", detail)
