"""Errors as RFC 9457 problems: one shape for every refusal of the doors."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import HttpResponse, JsonResponse

#: Refusals of a body, by code; every other one is 400.
STATUSES = {
    "too_large": 413,
    "decompressed_too_large": 413,
    "document_too_large": 413,
    "unknown_format": 422,
    "ambiguous_format": 422,
    "wrong_layout": 422,
    "empty_file": 422,
    "binary_file": 422,
    "idempotency_key_reused": 409,
}
RETRY_AFTER_S = 5


class ProblemError(Exception):
    """Raised in a door's view to answer with a problem."""

    def __init__(self, status: int, code: str, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers

    def response(self) -> HttpResponse:
        """The answer that says so."""
        return problem(self.status, self.code, self.detail, headers=self.headers)


def problem(
    status: int,
    code: str,
    detail: str,
    *,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """A problem+json answer. code: a stable word for programs; detail: for people."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        **(more or {}),
    }
    return JsonResponse(
        body,
        status=status,
        headers=dict(headers or {}),
        content_type="application/problem+json",
        json_dumps_params={"ensure_ascii": False},
    )


def refusal(code: str, reason: str, **more: object) -> HttpResponse:
    """The problem of a body that was refused with this code."""
    return problem(STATUSES.get(code, 400), code, reason, more=more)


def unavailable() -> HttpResponse:
    """The books cannot be reached; nothing was kept, the same request may come again."""
    return problem(
        503,
        "unavailable",
        "the database cannot be reached, nothing was kept; send it again",
        headers={"Retry-After": str(RETRY_AFTER_S)},
    )
