"""A request in Kong's HTTP log, with the entries of its AI plugins."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count
from ingest.formats.moments import Moment


class Meta(msgspec.Struct):
    """Which model answered."""

    provider_name: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    llm_latency: Count = None


class Usage(msgspec.Struct):
    """What it used; the cost comes from the prices in the plugin's own settings."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    cost: Exact = NOTHING


class Cache(msgspec.Struct):
    """Kong's own semantic cache."""

    cache_status: str | None = None


class Entry(msgspec.Struct):
    """One plugin's call."""

    meta: Meta | None = None
    usage: Usage | None = None
    cache: Cache | None = None


class Named(msgspec.Struct):
    """A request's id, a caller's name, or a route's."""

    id: str | None = None
    username: str | None = None
    name: str | None = None


class Response(msgspec.Struct):
    """How Kong answered."""

    status: Count = None


class Latencies(msgspec.Struct):
    """Milliseconds; proxy is -1 where no upstream was asked."""

    request: int | float | None = None
    proxy: int | float | None = None


class Row(msgspec.Struct):
    """One request of the HTTP log."""

    request: Named | None = None
    response: Response | None = None
    latencies: Latencies | None = None
    started_at: Moment = None
    consumer: Named | None = None
    route: Named | None = None
    ai: dict[str, msgspec.Raw] | None = None


ROWS = Decoder(Row)
_ENTRIES = Decoder(Entry, {"prompt_tokens": 1, "completion_tokens": 1})


def entry_of(value: msgspec.Raw) -> Entry | None:
    """A plugin's entry; None where it called no model."""
    body = bytes(value)
    entry = _ENTRIES.of(body) if body.startswith(b"{") else Entry()
    return entry if entry.meta is not None else None


def counts_of(usage: Usage) -> TokenCounts:
    """The counts; output that only the total knows is reasoning (Gemini's thoughts)."""
    given = count(usage.prompt_tokens, "prompt_tokens")
    made = count(usage.completion_tokens, "completion_tokens")
    total = count(usage.total_tokens, "total_tokens")
    hidden = 0 if None in {given, made, total} else (total or 0) - (given or 0) - (made or 0)
    return from_inclusive(
        input_tokens=given,
        output_tokens=(made or 0) + hidden if hidden > 0 else made,
        reasoning_output_tokens=hidden if hidden > 0 else None,
    )
