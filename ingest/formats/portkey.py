"""Portkey's log export. Its cost is in cents; what was cached stands only in the answer's body."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats import openai_usage
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import inner_json, inner_object
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
from ingest.formats.labels import labels_of
from ingest.formats.moments import Moment, moment
from ingest.formats.pages import row_items, rows_seen

_CENTS = -2
#: Portkey's own refusals: a guardrail said no.
_GUARDRAIL = 446


class Row(msgspec.Struct):
    """One call. request and response are the bodies, where they were exported."""

    id: str
    trace_id: str | None = None
    created_at: Moment = None
    ai_org: str | None = None
    ai_model: str | None = None
    req_units: Count = None
    res_units: Count = None
    total_units: Count = None
    request_url: str | None = None
    cost: Exact = NOTHING
    cost_currency: str | None = None
    response_time: Count = None
    response_status_code: Count = None
    metadata: Exact = NOTHING
    request: Exact = NOTHING
    response: Exact = NOTHING


class Usage(openai_usage.Usage):
    """OpenAI's usage, and the two counts of Anthropic's that stand beside it."""

    cache_read_input_tokens: Count = None
    cache_creation_input_tokens: Count = None


class Choice(msgspec.Struct):
    """One of the answers."""

    finish_reason: str | None = None


class Response(msgspec.Struct):
    """An answer's body."""

    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    choices: list[Choice] | None = None
    stop_reason: str | None = None
    service_tier: str | None = None


class Request(msgspec.Struct):
    """A request's body."""

    max_tokens: Count = None
    max_completion_tokens: Count = None
    stream: bool | None = None


_ROWS = Decoder(Row, {"req_units": 1, "res_units": 1, "cost": 1})
_RESPONSES = Decoder(Response)
_REQUESTS = Decoder(Request)


def recognise(sample: Sample) -> str:
    """Its names for tokens."""
    fits = any({"req_units", "ai_model"} <= each.keys() for each in rows_seen(sample, "data"))
    return "has req_units and ai_model" if fits or "req_units" in sample.keys else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each call."""
    return outcomes(row_items(items, "data"), partial(_call, options))


def _call(options: Options, item: Item) -> Outcome:
    row = _ROWS.decoded(item)
    answer = _RESPONSES.of(_object(row.response))
    asked = _REQUESTS.of(_object(row.request))
    status = http_status(row.response_status_code, "response_status_code")
    failed = has_failed(status)
    counts = used(_counts(row, answer.usage or Usage()), failed=failed)
    cents = cost(row.cost, "cost")
    model = text(row.ai_model, "ai_model")
    reasons = [choice.finish_reason for choice in answer.choices or () if choice.finish_reason]
    use = Use(
        counts=counts,
        usage_state=openai_usage.state_of(counts),
        source=FORMAT.name,
        provider=provider_id(text(row.ai_org, "ai_org")),
        request_model=model,
        response_model=text(answer.model, "response.model") or model,
        operation="embeddings" if "/embeddings" in (row.request_url or "") else "chat",
        service_tier=text(answer.service_tier, "response.service_tier", 40),
        status="error" if failed else "ok",
        http_status=status,
        error_origin=("gateway" if status == _GUARDRAIL else "upstream") if failed else "",
        finish_reason=text(answer.stop_reason or next(iter(reasons), ""), "finish_reason", 80),
        is_stream=asked.stream,
        max_output_tokens=count(asked.max_completion_tokens or asked.max_tokens, "max_tokens"),
        duration_ms=milliseconds(row.response_time, "response_time"),
        reported_cost=None if cents is None else _units(cents),
        reported_currency=text(row.cost_currency, "cost_currency", 12) or "USD",
    )
    labels = labels_of(inner_object(row.metadata), "metadata")
    return counted(
        item,
        options,
        identity=Identity(
            response_id=text(answer.id, "response.id"), gateway_request_id=text(row.id, "id")
        ),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        **labels.where(session_id=labels.session_id or text(row.trace_id, "trace_id")),
    )


def _counts(row: Row, usage: Usage) -> TokenCounts:
    """The body's counts where it was exported, else the row's units."""
    counts = openai_usage.counts_of(usage)
    given = counts.input_tokens
    if given is None and counts.output_tokens is None:
        return from_inclusive(
            input_tokens=count(row.req_units, "req_units"),
            output_tokens=count(row.res_units, "res_units"),
        )
    read = count(usage.cache_read_input_tokens, "usage.cache_read_input_tokens")
    write = count(usage.cache_creation_input_tokens, "usage.cache_creation_input_tokens")
    if read is None and write is None:
        return counts
    total = count(usage.total_tokens, "usage.total_tokens")
    is_native = usage.input_tokens is not None or total is None
    if is_native or total != (given or 0) + (counts.output_tokens or 0):
        return from_disjoint(
            uncached=given, cache_read=read, cache_write=write, output_tokens=counts.output_tokens
        )
    return from_inclusive(
        input_tokens=given,
        cache_read_input_tokens=read,
        cache_write_input_tokens=write,
        output_tokens=counts.output_tokens,
        reasoning_output_tokens=counts.reasoning_output_tokens,
    )


def _units(cents: Decimal) -> Decimal:
    """An amount of cents in whole units: only the point moves."""
    sign, digits, exponent = cents.as_tuple()
    return Decimal((sign, digits, int(exponent) + _CENTS))


def _object(value: Exact) -> bytes:
    """A body that is an object; b'{}' for any other."""
    found = inner_json(value)
    return found if found.startswith(b"{") else b"{}"


FORMAT = Format(
    name="portkey",
    title="Portkey log export",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the answer where its body was exported, else id of the log",
    where="Logs, Export, or the log export API (JSON lines); cost is in US cents",
    source="Portkey's documentation",
    recognise=recognise,
    read=read,
)
