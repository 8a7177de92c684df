"""Kong's HTTP log with what its AI plugins add: one entry for each plugin that called a model."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import Identity, UsageRecord, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.fields import (
    NOTHING,
    Count,
    Decoder,
    Exact,
    cost,
    count,
    milliseconds,
    outcomes,
    text,
)
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_UNKNOWN_MODELS = {"UNSPECIFIED", "NOT_SPECIFIED"}
#: Providers whose prompt tokens Kong logs without the cached ones, which are lost.
_CACHE_LOST = {"anthropic", "aws"}


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


_ROWS = Decoder(Row)
_ENTRIES = Decoder(Entry, {"prompt_tokens": 1, "completion_tokens": 1})


def recognise(sample: Sample) -> str:
    """An entry with a provider's name under ai."""
    for each in sample.objects:
        entries = each.get("ai")
        for entry in entries.values() if isinstance(entries, dict) else ():
            meta = entry.get("meta") if isinstance(entry, dict) else None
            if isinstance(meta, dict) and "provider_name" in meta:
                return "has ai.*.meta.provider_name"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each request."""
    return outcomes(items, partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _ROWS.decoded(item)
    # The proxy's entry is the request, transformers that asked a model themselves are parts of it.
    names = sorted(row.ai or {}, key=lambda name: ("proxy" not in name, name))
    calls = [(name, entry) for name in names if (entry := _entry((row.ai or {})[name]))]
    if not calls:
        return Skipped(line=item.line)
    request, caller, route = row.request or Named(), row.consumer or Named(), row.route or Named()
    uses = [_use(row, name, entry) for name, entry in calls]
    request_id = text(request.id, "request.id")
    if not request_id:
        raise RejectedError("missing_field", "request.id is missing", field="request.id")
    identity = Identity(gateway_request_id=request_id)
    told = counted(
        item,
        options,
        identity=identity,
        use=uses[0],
        started_at=moment(row.started_at, "started_at"),
        user_id=text(caller.username or caller.id, "consumer"),
        tags=(("route", text(route.name, "route.name")),) if route.name else (),
    )
    main = told.records[0]
    parts = (
        UsageRecord(identity=replace(identity, part=number), use=use, place=main.place)
        for number, use in enumerate(uses[1:], 1)
    )
    return replace(told, records=(main, *parts))


def _entry(value: msgspec.Raw) -> Entry | None:
    """A plugin's entry; None where it called no model."""
    body = bytes(value)
    entry = _ENTRIES.of(body) if body.startswith(b"{") else Entry()
    return entry if entry.meta is not None else None


def _use(row: Row, name: str, entry: Entry) -> Use:
    meta, usage = entry.meta or Meta(), entry.usage or Usage()
    latencies = row.latencies or Latencies()
    status = http_status((row.response or Response()).status, "response.status")
    failed = has_failed(status)
    provider = provider_id(text(meta.provider_name, "provider_name"))
    counts = used(_counts(usage), failed=failed)
    state = state_of(counts)
    is_hit = ((entry.cache and entry.cache.cache_status) or "").lower() == "hit"
    asked, answered = text(meta.request_model, "request_model"), text(meta.response_model, "model")
    return Use(
        counts=counts,
        usage_state="partial" if state == "reported" and provider in _CACHE_LOST else state,
        source=FORMAT.name,
        provider=provider,
        request_model=answered if asked in _UNKNOWN_MODELS else asked,
        response_model="" if answered in _UNKNOWN_MODELS else answered,
        operation="chat" if "proxy" in name else text(name, "ai"),
        status="error" if failed else "ok",
        http_status=status,
        error_origin=("gateway" if latencies.proxy == -1 else "upstream") if failed else "",
        gateway_cache_hit=is_hit,
        billable=not is_hit,
        duration_ms=milliseconds(
            meta.llm_latency if latencies.request is None else latencies.request, "latency"
        ),
        reported_cost=cost(usage.cost, "usage.cost"),
        reported_currency="USD",
    )


def _counts(usage: Usage) -> TokenCounts:
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


FORMAT = Format(
    name="kong",
    title="Kong AI proxy log",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="request.id",
    where="the http-log or file-log plugin beside ai-proxy with logging.log_statistics",
    source="Kong/kong: the AI plugins' source",
    recognise=recognise,
    read=read,
    extensions=(".ndjson", ".jsonl", ".log"),
)
