"""Tallybook's own event: one JSON object per request, its names those of the ledger."""

import re

from accounting.domain.naming import provider_id
from accounting.domain.tokens import COUNT_NAMES, TokenCounts, checked
from accounting.domain.usage import ERROR_ORIGINS, STATUSES, Identity, Place, UsageRecord, Use
from ingest.formats.base import (
    Convention,
    Counted,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
)
from ingest.formats.fields import cost, count, milliseconds, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.labels import checked_tags
from ingest.formats.moments import moment
from ingest.formats.native_events import EVENTS, NAMES, Event
from ingest.formats.openai_usage import state_of
from ingest.formats.shown import shown
from ingest.formats.tables import row_format

_TOKENS = {"input_tokens", "output_tokens"}
_CURRENCY = re.compile(r"[A-Z][A-Z0-9]{2,11}")


def recognise(sample: Sample) -> str:
    """started_at beside the ledger's names of tokens; without it nothing but the ledger's names.

    An event that forgot when it happened is then rejected for that, line by line.
    """
    events = [each for each in sample.objects if _TOKENS & each.keys()]
    if any("started_at" in each for each in events):
        return "has started_at and input_tokens or output_tokens"
    if "started_at" in sample.keys and _TOKENS & sample.keys:
        return "begins with started_at and input_tokens or output_tokens"
    # Token counts beside ttft_ms and without a moment are a load test's.
    is_own = all(each.keys() <= NAMES and "ttft_ms" not in each for each in sample.objects)
    if events and is_own:
        return "has no other names than Tallybook's events, but no started_at"
    return ""


def _event(options: Options, item: Item) -> Outcome:
    event = EVENTS.decoded(item)
    started_at = moment(event.started_at, "started_at")
    if started_at is None:
        raise RejectedError("missing_field", "started_at is empty", field="started_at")
    told = (event.tags or {}).items()
    tags = {text(name, "tags"): text(value, "tags") for name, value in told}
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
        tags=checked_tags(tags),
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


FORMAT = row_format(
    name="native",
    title="Tallybook events",
    row=_event,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="response_id or id; else trace_id and span_id; gateway_request_id; else what it says",
    where="POST /api/v1/events, or JSON lines that your own program writes",
    source="this project",
)
