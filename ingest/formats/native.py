"""Tallybook's own event: one JSON object per request, its names those of the ledger."""

import re
from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import COUNT_NAMES, TokenCounts, checked
from accounting.domain.usage import ERROR_ORIGINS, STATUSES, Identity, Place, UsageRecord, Use
from ingest.formats.base import (
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
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
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of
from ingest.formats.shown import shown

_TAG_LIMIT = 64
_CURRENCY = re.compile(r"[A-Z][A-Z0-9]{2,11}")


class Event(msgspec.Struct, forbid_unknown_fields=True):
    """One request, or one part of it that is priced apart. Unknown names are refused.

    input_tokens includes cached tokens, output_tokens includes reasoning. id is response_id.
    """

    started_at: str
    id: str | None = None
    response_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    gateway_request_id: str | None = None
    part: Count = None
    updated_at: Moment = None
    provider: str | None = None
    model: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    operation: str | None = None
    service_tier: str | None = None
    processing: str | None = None
    speed: str | None = None
    region: str | None = None
    route: str | None = None
    input_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_write_input_tokens: Count = None
    cache_write_5m_input_tokens: Count = None
    cache_write_1h_input_tokens: Count = None
    tool_use_input_tokens: Count = None
    input_audio_tokens: Count = None
    cache_read_audio_tokens: Count = None
    input_image_tokens: Count = None
    output_tokens: Count = None
    reasoning_output_tokens: Count = None
    output_audio_tokens: Count = None
    output_image_tokens: Count = None
    output_citation_tokens: Count = None
    web_search_requests: Count = None
    other_units: dict[str, Count] | None = None
    max_output_tokens: Count = None
    session_id: str | None = None
    turn_id: str | None = None
    agent: str | None = None
    is_sidechain: bool = False
    user_id: str | None = None
    team: str | None = None
    environment: str | None = None
    cost_center: str | None = None
    api_key_name: str | None = None
    working_folder: str | None = None
    project: str | None = None
    tags: dict[str, str] | None = None
    status: str = "ok"
    http_status: Count = None
    error_type: str | None = None
    error_origin: str | None = None
    finish_reason: str | None = None
    is_stream: bool | None = None
    gateway_cache_hit: bool = False
    billable: bool = True
    duration_ms: Count = None
    ttft_ms: Count = None
    tpot_ms: Count = None
    reported_cost: Exact = NOTHING
    reported_currency: str | None = None


_WATCHED = (*COUNT_NAMES, "started_at", "id", "response_id", "model", "reported_cost")
_DECODER = Decoder(Event, dict.fromkeys(_WATCHED, 1))


def recognise(sample: Sample) -> str:
    """started_at beside the ledger's names of tokens."""
    for each in sample.objects:
        if "started_at" in each and {"input_tokens", "output_tokens"} & each.keys():
            return "has started_at and input_tokens or output_tokens"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each event."""
    return outcomes(items, partial(_event, options))


def _event(options: Options, item: Item) -> Outcome:
    event = _DECODER.decoded(item)
    started_at = moment(event.started_at, "started_at")
    if started_at is None:
        raise RejectedError("missing_field", "started_at is empty", field="started_at")
    place = Place(
        started_at=started_at,
        is_sidechain=event.is_sidechain,
        session_id=text(event.session_id, "session_id"),
        cost_center=text(event.cost_center, "cost_center", 80),
        turn_id=text(event.turn_id, "turn_id"),
        agent=text(event.agent, "agent"),
        user_id=text(event.user_id, "user_id") or options.user_id,
        team=text(event.team, "team"),
        environment=text(event.environment, "environment"),
        api_key_name=text(event.api_key_name, "api_key_name"),
        working_folder=text(event.working_folder, "working_folder", 1000),
        tags=_tags(event),
        line=item.line,
    )
    record = UsageRecord(identity=_identity(event), use=_use(event, options), place=place)
    return Counted(line=item.line, records=(record,), project=text(event.project, "project"))


def _identity(event: Event) -> Identity:
    response_id, other = text(event.response_id, "response_id"), text(event.id, "id")
    if response_id and other and response_id != other:
        reason = "id and response_id are two names of one field and differ"
        raise RejectedError("contradiction", reason, field="response_id", value=response_id)
    is_known = response_id or other or event.gateway_request_id
    is_known = is_known or (event.trace_id and event.span_id)
    return Identity(
        response_id=response_id or other,
        trace_id=text(event.trace_id, "trace_id"),
        span_id=text(event.span_id, "span_id"),
        gateway_request_id=text(event.gateway_request_id, "gateway_request_id"),
        fingerprint=b"" if is_known else fingerprint(event),
        part=_below(count(event.part, "part") or 0, 1000, "part"),
    )


def _use(event: Event, options: Options) -> Use:
    counts = {name: count(getattr(event, name), name) for name in COUNT_NAMES}
    units = (event.other_units or {}).items()
    others = tuple(sorted((text(name, "other_units"), count(n, name) or 0) for name, n in units))
    used = checked(TokenCounts(other_units=others, **counts))
    model = text(event.model, "model") or options.model
    amount = cost(event.reported_cost, "reported_cost")
    http_status = count(event.http_status, "http_status")
    return Use(
        counts=used,
        usage_state=state_of(used),
        source_updated_at=moment(event.updated_at, "updated_at"),
        source=FORMAT.name,
        provider=provider_id(text(event.provider, "provider") or options.provider),
        request_model=text(event.request_model, "request_model") or model,
        response_model=text(event.response_model, "response_model"),
        operation=text(event.operation, "operation", 40) or "chat",
        service_tier=text(event.service_tier, "service_tier", 40),
        processing=text(event.processing, "processing", 40),
        speed=text(event.speed, "speed", 40),
        region=text(event.region, "region", 80),
        route=text(event.route, "route", 80),
        status=_one_of(event.status, STATUSES, "status"),
        http_status=None if http_status is None else _below(http_status, 1000, "http_status"),
        error_type=text(event.error_type, "error_type"),
        error_origin=_one_of(event.error_origin or "", ("", *ERROR_ORIGINS), "error_origin"),
        finish_reason=text(event.finish_reason, "finish_reason", 80),
        is_stream=event.is_stream,
        gateway_cache_hit=event.gateway_cache_hit,
        billable=event.billable,
        max_output_tokens=count(event.max_output_tokens, "max_output_tokens"),
        duration_ms=milliseconds(event.duration_ms, "duration_ms"),
        ttft_ms=milliseconds(event.ttft_ms, "ttft_ms"),
        tpot_ms=milliseconds(event.tpot_ms, "tpot_ms"),
        reported_cost=amount,
        reported_currency=_currency(event, is_needed=amount is not None),
    )


def _currency(event: Event, *, is_needed: bool) -> str:
    written = text(event.reported_currency, "reported_currency", 12)
    if is_needed and not written:
        reason = "reported_cost without reported_currency"
        raise RejectedError("missing_field", reason, field="reported_currency")
    if written and not _CURRENCY.fullmatch(written):
        reason = "reported_currency is no code, expected 3 to 12 capital letters"
        raise RejectedError("bad_currency", reason, field="reported_currency", value=written)
    return written


def _tags(event: Event) -> tuple[tuple[str, str], ...]:
    tags = (event.tags or {}).items()
    if len(tags) > _TAG_LIMIT:
        raise RejectedError("too_many_fields", f"{len(tags)} tags, at most {_TAG_LIMIT} are kept")
    return tuple(sorted((text(key, "tags"), text(value, "tags")) for key, value in tags))


def _below(number: int, limit: int, field: str) -> int:
    if number >= limit:
        reason = f"{field} = {number}, expected less than {limit}"
        raise RejectedError("number_out_of_range", reason, field=field, value=number)
    return number


def _one_of(written: str, known: tuple[str, ...], field: str) -> str:
    if written not in known:
        reason = f"{field} = {shown(written)}, expected one of {', '.join(filter(None, known))}"
        raise RejectedError("unknown_value", reason, field=field, value=written)
    return written


FORMAT = Format(
    name="native",
    title="Tallybook events",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="response_id or id; else trace_id and span_id; gateway_request_id; else what it says",
    where="POST /api/v1/events, or JSON lines that your own program writes",
    source="this project",
    recognise=recognise,
    read=read,
)
