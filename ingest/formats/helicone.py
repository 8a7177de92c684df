"""Helicone's request export: JSON, JSON lines or CSV."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from accounting.domain.usage import Identity, Use
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
from ingest.formats.cells import inner_object, row_json
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
from ingest.formats.openai_usage import state_of
from ingest.formats.pages import row_items, rows_seen

_COLUMNS = {"request_id", "request_created_at"}
_NO_REFERENCE = {"", "00000000-0000-0000-0000-000000000000"}
#: Helicone's own states beside HTTP's -> what they mean here.
_STATES = {-2: "pending", -3: "cancelled", -4: "timeout"}


class Row(msgspec.Struct):
    """One request. request_properties is an object, in a CSV its JSON."""

    request_id: str
    request_created_at: Moment = None
    response_status: int | str | None = None
    request_model: str | None = None
    response_model: str | None = None
    model_override: str | None = None
    model: str | None = None
    provider: str | None = None
    request_user_id: str | None = None
    helicone_user: str | None = None
    delay_ms: Count = None
    time_to_first_token: Count = None
    prompt_tokens: Count = None
    completion_tokens: Count = None
    total_tokens: Count = None
    prompt_cache_write_tokens: Count = None
    prompt_cache_read_tokens: Count = None
    prompt_audio_tokens: Count = None
    completion_audio_tokens: Count = None
    cost_usd: Exact = msgspec.field(default=NOTHING, name="costUSD")
    cost: Exact = NOTHING
    request_properties: Exact = NOTHING
    cache_reference_id: str | None = None


_DECODER = Decoder(Row, {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 1})


def recognise(sample: Sample) -> str:
    """The names of its table."""
    rows = [set(sample.header), *(set(each) for each in rows_seen(sample, "data"))]
    return "has request_id and request_created_at" if any(r >= _COLUMNS for r in rows) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each request."""
    return outcomes(row_items(items, "data"), partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.of(row_json(item, {"request_properties"}))
    state = str(row.response_status or "")
    own_state = _STATES.get(int(state), "gateway") if state.startswith("-") else ""
    answered = http_status(None if own_state else row.response_status, "response_status")
    provider = provider_id(text(row.provider, "provider").lower())
    counts, warnings = _counts(row, provider)
    failed = has_failed(answered) or own_state not in {"", "pending"}
    counts = used(counts, failed=failed)
    status = "error" if failed else own_state or "ok"
    if own_state == "cancelled" and counts.output_tokens:
        status = "cancelled"
    is_hit = text(row.cache_reference_id, "cache_reference_id") not in _NO_REFERENCE
    asked = text(row.model_override or row.request_model, "request_model")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider,
        request_model=asked or text(row.model, "model"),
        response_model=text(row.response_model or row.model, "response_model"),
        status=status,
        http_status=answered,
        error_type=own_state if failed else "",
        error_origin=_origin(own_state) if failed else "",
        gateway_cache_hit=is_hit,
        billable=not is_hit,
        duration_ms=milliseconds(row.delay_ms, "delay_ms"),
        ttft_ms=milliseconds(row.time_to_first_token, "time_to_first_token"),
        reported_cost=cost(row.cost_usd or row.cost, "costUSD"),
        reported_currency="USD",
    )
    labels = labels_of(inner_object(row.request_properties), "request_properties")
    return counted(
        item,
        options,
        identity=Identity(gateway_request_id=text(row.request_id, "request_id")),
        use=use,
        started_at=moment(row.request_created_at, "request_created_at", naive_is_utc=True),
        warnings=warnings,
        **labels.where(user_id=text(row.request_user_id or row.helicone_user, "user")),
    )


def _counts(row: Row, provider: str) -> tuple[TokenCounts, tuple[str, ...]]:
    """The counts and doubts: the total decides whether the prompt includes cached tokens.

    Where it decides nothing, Anthropic's prompt does not, the others' does.
    """
    prompt = count(row.prompt_tokens, "prompt_tokens")
    output = count(row.completion_tokens, "completion_tokens")
    read = count(row.prompt_cache_read_tokens, "prompt_cache_read_tokens")
    write = count(row.prompt_cache_write_tokens, "prompt_cache_write_tokens")
    total = count(row.total_tokens, "total_tokens")
    cached = (read or 0) + (write or 0)
    plain = (prompt or 0) + (output or 0)
    others = {
        "output_tokens": output,
        "input_audio_tokens": count(row.prompt_audio_tokens, "prompt_audio_tokens"),
        "output_audio_tokens": count(row.completion_audio_tokens, "completion_audio_tokens"),
    }
    doubts = () if total in {None, plain, plain + cached} else ("inconsistent_total",)
    apart = provider == "anthropic" if total is None or doubts else total != plain
    if apart or cached > (prompt or 0):
        counts = from_disjoint(uncached=prompt, cache_read=read, cache_write=write, **others)
        return counts, doubts
    counts = from_inclusive(
        input_tokens=prompt, cache_read_input_tokens=read, cache_write_input_tokens=write, **others
    )
    return counts, doubts


def _origin(own_state: str) -> str:
    return {"cancelled": "client", "gateway": "gateway"}.get(own_state, "upstream")


FORMAT = Format(
    name="helicone",
    title="Helicone requests",
    unit=Unit.JSON,
    also=(Unit.CSV,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="request_id",
    where="Requests, Export, or POST /v1/request/query; total_tokens tells which prompts leave out cache",
    source="Helicone's types and issues",
    recognise=recognise,
    read=read,
    extensions=(".jsonl", ".json", ".csv"),
)
