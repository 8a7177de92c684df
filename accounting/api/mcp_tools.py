"""The tools of the MCP endpoint: each is a question over REST, with its parameters as arguments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, QueryDict
from django.http.response import HttpResponseBase

from accounting.api.views.change import ChangeView
from accounting.api.views.dimensions import DimensionsView, DimensionView
from accounting.api.views.estimate import EstimateView
from accounting.api.views.usage import UsageView
from accounting.domain.ranges import BUCKETS, RANGES
from accounting.domain.usage import PURPOSES
from accounting.queries.grammar import COMPARISONS, DIMENSIONS, TAG

type Arguments = Mapping[str, Any]
type Params = dict[str, list[str]]
type View = Callable[..., HttpResponseBase]

FILTERS = "filters"
DEFAULT_ROWS, MOST_ROWS = 50, 200
#: Headers of a question that its inner one must not inherit: it is whole, and of another method.
_DROPPED = ("HTTP_IF_", "HTTP_ACCEPT", "CONTENT_", "HTTP_COOKIE")


class BadArgumentsError(ValueError):
    """Arguments that no address could say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A question. ask: the view that answers it, with the arguments that stand in its path."""

    name: str
    title: str
    description: str
    properties: Mapping[str, Any]
    ask: Callable[[HttpRequest, Params], HttpResponseBase]

    @property
    def written(self) -> dict[str, Any]:
        """As tools/list tells it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": self.properties,
                "additionalProperties": False,
            },
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }

    def answer(self, request: HttpRequest, arguments: Arguments) -> HttpResponseBase:
        """What REST answers to these arguments from the same caller. Raises BadArgumentsError."""
        for name in arguments:
            if name not in self.properties:
                known = ", ".join(self.properties)
                raise BadArgumentsError(f"{name[:80]!r} is no argument here; there are {known}")
        params = _params({n: v for n, v in arguments.items() if n != FILTERS})
        filters = arguments.get(FILTERS) or {}
        if not isinstance(filters, Mapping):
            raise BadArgumentsError("filters: expected an object of names and values")
        for name, values in _params(filters).items():
            params.setdefault(name, []).extend(values)
        if "limit" in self.properties:
            params["limit"] = [_limit(params)]
        return self.ask(request, params)


def _params(arguments: Arguments) -> Params:
    params: Params = {}
    for name, value in arguments.items():
        many = value if isinstance(value, list) else [value]
        if any(isinstance(one, list | dict) for one in many):
            raise BadArgumentsError(f"{name[:80]}: expected a text or a number")
        texts = [str(one).lower() if isinstance(one, bool) else str(one) for one in many]
        params[name] = [text for text, one in zip(texts, many, strict=True) if one is not None]
    return {name: texts for name, texts in params.items() if texts}


def _limit(params: Params) -> str:
    text = params.get("limit", [f"{DEFAULT_ROWS}"])[0]
    is_known = text.isascii() and text.isdigit() and len(text) < 5
    if not is_known or not 1 <= int(text) <= MOST_ROWS:
        raise BadArgumentsError(f"limit: expected 1 to {MOST_ROWS}")
    return text


def _asked(view: View, request: HttpRequest, params: Params, **place: str) -> HttpResponseBase:
    """A question of REST within this one: its headers say who asks, so scopes and limits hold."""
    inner = HttpRequest()
    inner.method = "GET"
    inner.path = inner.path_info = request.path
    inner.META = {
        name: value for name, value in request.META.items() if not name.startswith(_DROPPED)
    }
    query = QueryDict(mutable=True)
    for name, values in params.items():
        query.setlist(name, values)
    inner.GET = query  # type: ignore[assignment]
    return view(inner, **place)


_usage, _change, _estimate = UsageView.as_view(), ChangeView.as_view(), EstimateView.as_view()
_names, _values = DimensionsView.as_view(), DimensionView.as_view()


def _dimensions(request: HttpRequest, params: Params) -> HttpResponseBase:
    name = params.pop("name", [""])[0]
    if name:
        return _asked(_values, request, params, name=name)
    del params["limit"]
    return _asked(_names, request, params)


def _text(description: str, words: Sequence[str] = ()) -> dict[str, Any]:
    return {"type": "string", "description": description} | ({"enum": [*words]} if words else {})


_DAYS: Mapping[str, Any] = {
    "range": _text("Instead of from and to; default mtd, the month to date.", RANGES),
    "from": _text("First day, as 2026-10-01, in the time zone of the books."),
    "to": _text("Day after the last; default tomorrow."),
    "tz": _text("Days of another IANA time zone."),
}
_FILTERS: Mapping[str, Any] = {
    "purpose": _text("Default usage.", PURPOSES),
    FILTERS: {
        "type": "object",
        "description": "Which usage: name to value or values, as {'model': ['a', 'b']}. 'model!'"
        " excludes, 'model~' takes any part. Names are those of list_dimensions.",
        "additionalProperties": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        },
    },
}
_PAGE: Mapping[str, Any] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST_ROWS, "default": DEFAULT_ROWS},
    "cursor": _text("`next` of the answer before, to the same question."),
}
_AMOUNT: Mapping[str, Any] = {"anyOf": [{"type": "string"}, {"type": "number"}]}
_GROUP = f"One of {', '.join(DIMENSIONS)}, or {TAG}<key>."

TOOLS = (
    Tool(
        name="query_usage",
        title="Usage and cost",
        description="Requests, tokens, cost by currency and credits, by time and dimension, with the"
        " totals of the whole question. Amounts are decimal texts; null is unknown, which is not 0;"
        " what has no price is counted by unpriced_requests and unpriced_tokens.",
        properties={
            **_DAYS,
            "group": _text(_GROUP),
            "sub": _text("A second dimension; needs group."),
            "bucket": _text("Without it, one row for the range.", BUCKETS),
            **_FILTERS,
            **_PAGE,
        },
        ask=lambda request, params: _asked(_usage, request, params),
    ),
    Tool(
        name="list_dimensions",
        title="What usage can be grouped and filtered by",
        description="Without name, every dimension, field and tag key; with name, the values of that"
        " dimension in the range and their requests.",
        properties={"name": _text(_GROUP), **_DAYS, **_FILTERS, **_PAGE},
        ask=_dimensions,
    ),
    Tool(
        name="estimate_cost",
        title="What credits, money and tokens come to",
        description="How many tokens an amount buys, or what input tokens and sessions cost, at the"
        " prices in force, model by model. The mix of past usage fills in what is not given.",
        properties={
            "credits": {**_AMOUNT, "description": "Credits to spend."},
            "money": {**_AMOUNT, "description": "Money to spend, instead of credits."},
            "currency": _text("Of money; default the books' own."),
            "input_tokens": {"type": "integer", "description": "Tokens to send."},
            "models": {
                "type": "array",
                "items": {"type": "string"},
                "description": "As provider/model; default those used most.",
            },
            "cached_share": {**_AMOUNT, "description": "Of input, 0 to 1."},
            "written_share": {**_AMOUNT, "description": "Of input written to a cache, 0 to 1."},
            "output_per_input": _AMOUNT,
            "turns": {"type": "integer", "description": "Of a session; the next three size it."},
            "system_tokens": {"type": "integer"},
            "user_tokens": {"type": "integer"},
            "answer_tokens": {"type": "integer"},
            **_DAYS,
            **_FILTERS,
        },
        ask=lambda request, params: _asked(_estimate, request, params),
    ),
    Tool(
        name="explain_change",
        title="Why the cost changed",
        description="The difference between a range and the one before it, or a year before, as"
        " volume, mix, length, cache and price: parts that sum to it, each currency apart.",
        properties={
            **_DAYS,
            "compare": _text("Default prev.", [one for one in COMPARISONS if one != "none"]),
            "weekday": _text("Compare days of the same weekdays.", ["1"]),
            "currency": _text("Only this one."),
            **_FILTERS,
        },
        ask=lambda request, params: _asked(_change, request, params),
    ),
)
