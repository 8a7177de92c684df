"""GET /openai/v1/organization/usage/completions and /costs: what OpenAI's SDK reads by base_url."""

from collections.abc import Callable
from typing import Any

import msgspec
from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from rest_framework.request import Request

from accounting.api.errors import problem_response
from accounting.api.openai_answers import PARTS, cost_buckets, usage_buckets
from accounting.api.openai_question import BucketPage, Shape, bucket_page, with_plain_names
from accounting.api.views.base import BooksView, books_of, only_slug_of, parameters
from accounting.queries.filters import FilterError
from accounting.queries.writing import Written

_USAGE = Shape(
    name="completions",
    limits={"1d": (31, 7), "1h": (168, 24)},
    groups=("project_id", "user_id", "api_key_id", "model", "service_tier"),
)
_COSTS = Shape(
    name="costs",
    limits={"1d": (180, 7)},
    groups=("project_id", "user_id", "api_key_id", "line_item"),
    others=("line_items",),
)
_KINDS = frozenset(kind for kind, _ in PARTS.values())
#: Amounts are written as numbers, which is what the SDK reads, but digit for digit.
_ENCODER = msgspec.json.Encoder(decimal_format="number")


class OpenAIView(BooksView):
    """A question in OpenAI's shape, with the keys, scopes and projects of REST."""

    schema = None

    def get_exception_handler(self) -> Callable[..., HttpResponse | None]:
        """Refusals in OpenAI's shape too, for its SDK shows their message."""
        return _refusal


class CompletionsView(OpenAIView):
    """Tokens and requests."""

    def get(self, request: Request) -> HttpResponse:
        """Buckets of usage."""
        page = _page(request, _USAGE)
        return _answer(page, usage_buckets(page))


class CostsView(OpenAIView):
    """Money."""

    def get(self, request: Request) -> HttpResponse:
        """Buckets of costs, one result for each currency."""
        line_items = with_plain_names(parameters(request)).get("line_items", ())
        for item in line_items:
            if item.rpartition(", ")[2] not in _KINDS:
                expected = f"expected 'model, kind' of {', '.join(sorted(_KINDS))}"
                raise FilterError(
                    "bad_value", f"line_items={item[:80]!r}, {expected}", "line_items"
                )
        page = _page(request, _COSTS)
        if line_items and "line_item" not in page.groups:
            raise FilterError("bad_value", "line_items needs group_by=line_item", "line_items")
        return _answer(page, cost_buckets(page, line_items))


def _page(request: Request, shape: Shape) -> BucketPage:
    only = only_slug_of(request)
    return bucket_page(parameters(request), shape, books_of(request), timezone.now(), only=only)


def _answer(page: BucketPage, buckets: list[Written]) -> HttpResponse:
    body = {
        "object": "page",
        "data": buckets,
        "has_more": page.next_page is not None,
        "next_page": page.next_page,
    }
    return HttpResponse(_ENCODER.encode(body), content_type="application/json")


def _refusal(error: Exception, context: dict[str, Any]) -> HttpResponse | None:
    told = problem_response(error, context)
    if told is None:
        return None
    found = msgspec.json.decode(told.content)
    said = {
        "message": found["detail"],
        "type": "invalid_request_error" if found["status"] < 500 else "server_error",
        "param": found.get("parameter"),
        "code": found["code"],
    }
    answer = JsonResponse({"error": said}, status=found["status"])
    for name in ("WWW-Authenticate", "Retry-After", "Allow"):
        if name in told.headers:
            answer.headers[name] = told.headers[name]
    return answer
