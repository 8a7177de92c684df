"""Envoy AI Gateway's access log, with the field names its documentation recommends."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial

import msgspec

from accounting.domain.naming import PROVIDERS, provider_id
from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.fields import Count, Decoder, count, milliseconds, outcomes, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_USAGE = "gen_ai.usage."


class Row(
    msgspec.Struct,
    rename={
        "request_id": "x-request-id",
        "session_id": "session.id",
        "request_model": "gen_ai.request.model",
        "model_override": "gen_ai.request.model_override",
        "response_model": "gen_ai.response.model",
        "backend": "gen_ai.provider.name",
        "input": f"{_USAGE}input_tokens",
        "cached": f"{_USAGE}cached_input_tokens",
        "cache_read": f"{_USAGE}cache_read.input_tokens",
        "cache_creation": f"{_USAGE}cache_creation_input_tokens",
        "output": f"{_USAGE}output_tokens",
        "reasoning": f"{_USAGE}reasoning_tokens",
        "mcp_method": "mcp.method.name",
        "path": "x-envoy-origin-path",
    },
):
    """One request. The operator chooses the fields; '-' stands for nothing."""

    start_time: Moment = None
    duration: Count = None
    response_code: Count = None
    response_code_details: str | None = None
    response_flags: str | None = None
    request_id: str | None = None
    session_id: str | None = None
    request_model: str | None = None
    model_override: str | None = None
    response_model: str | None = None
    backend: str | None = None
    input: Count = None
    cached: Count = None
    cache_read: Count = None
    cache_creation: Count = None
    output: Count = None
    reasoning: Count = None
    mcp_method: str | None = None
    path: str | None = None


_DECODER = Decoder(Row, {f"{_USAGE}input_tokens": 1, f"{_USAGE}output_tokens": 1})


def recognise(sample: Sample) -> str:
    """A flat line of an access log with GenAI names."""
    for each in sample.objects:
        if {"start_time", "response_code"} <= each.keys() and f"{_USAGE}input_tokens" in each:
            return "has start_time, response_code and gen_ai.usage.input_tokens"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each line."""
    return outcomes(items, partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    counts = _counts(row)
    asked, answered = _name(row.request_model, "request"), _name(row.response_model, "response")
    if _name(row.mcp_method, "mcp") or not (asked or answered or state_of(counts) != "missing"):
        return Skipped(line=item.line)
    status = http_status(_known(row.response_code), "response_code")
    failed = has_failed(status)
    left = "DC" in (row.response_flags or "").split(",")
    counts = used(counts, failed=failed or left)
    started_at = moment(_known(row.start_time), "start_time", naive_is_utc=True)
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider) or _provider(_name(row.backend, "backend")),
        request_model=_name(row.model_override, "override") or asked or options.model,
        response_model=answered,
        operation="embeddings" if "embeddings" in (row.path or "") else "chat",
        status="error" if failed else "cancelled" if left else "ok",
        http_status=status,
        error_origin=_origin(_name(row.response_code_details, "details")) if failed else "",
        duration_ms=milliseconds(_known(row.duration), "duration"),
    )
    return counted(
        item,
        options,
        identity=_identity(row, started_at),
        use=use,
        started_at=started_at,
        session_id=_name(row.session_id, "session.id"),
    )


def _counts(row: Row) -> TokenCounts:
    """Inclusive counts; where reads are logged and writes are not, nothing was written."""
    cached = _known(row.cached)
    read = count(_known(row.cache_read) if cached is None else cached, "cached_input_tokens")
    write = count(_known(row.cache_creation), "cache_creation_input_tokens")
    return from_inclusive(
        input_tokens=count(_known(row.input), "input_tokens"),
        cache_read_input_tokens=read,
        cache_write_input_tokens=0 if write is None and read is not None else write,
        output_tokens=count(_known(row.output), "output_tokens"),
        reasoning_output_tokens=count(_known(row.reasoning), "reasoning_tokens"),
    )


def _identity(row: Row, started_at: datetime | None) -> Identity:
    """Clients may send the request id themselves, so it holds only together with the time."""
    request_id = _name(row.request_id, "x-request-id")
    if not request_id:
        return Identity(fingerprint=fingerprint(msgspec.to_builtins(row)))
    at = started_at.isoformat() if started_at else ""
    return Identity(gateway_request_id=f"{request_id}@{at}")


def _provider(backend: str) -> str:
    """The provider where a backend (namespace/name/route/…) is named like one."""
    names = backend.split("/")
    if len(names) == 1:
        return provider_id(backend)
    return PROVIDERS.get(names[1].lower(), "")


def _origin(details: str) -> str:
    return ("upstream" if details == "via_upstream" else "gateway") if details else ""


def _known[Value](value: Value) -> Value | None:
    return None if value in ("-", "") else value


def _name(value: str | None, field: str) -> str:
    return text(_known(value), field)


FORMAT = Format(
    name="envoy",
    title="Envoy AI Gateway access log",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="x-request-id and start_time; without an id the line",
    where="the gateway's access log with the documented JSON fields; other fields: use a mapping",
    source="envoyproxy/ai-gateway: documentation and translators",
    recognise=recognise,
    read=read,
    extensions=(".ndjson", ".jsonl", ".log"),
)
