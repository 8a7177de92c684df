"""Claude Code's OpenTelemetry log export: one event for each request and each failed attempt."""

import re
from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats.anthropic_usage import Counts, counts_of, provider_of
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
from ingest.formats.calls import counted, http_status
from ingest.formats.fields import Decoder, outcome_of
from ingest.formats.fingerprints import fingerprint
from ingest.formats.openai_usage import state_of
from ingest.formats.otlp_values import (
    AnyValue,
    Attribute,
    Attributes,
    Export,
    Found,
    Instant,
    exported,
    instant,
    of_pairs,
    plain,
)

_EVENTS = {"api_request", "api_error"}
_NAME = re.compile(r"[\w.-]{1,80}", re.ASCII)


class Record(msgspec.Struct):
    """One log record, under both spellings of OTLP's names."""

    time: Instant = msgspec.field(default=None, name="timeUnixNano")
    time_snake: Instant = msgspec.field(default=None, name="time_unix_nano")
    body: AnyValue | None = None
    attributes: list[Attribute] | None = None


_EXPORTS = Decoder(Export)
_RECORDS = Decoder(Record, {"attributes": 1, "timeUnixNano": 1})


def recognise(sample: Sample) -> str:
    """An export of logs that names Claude Code's scope or events."""
    names = {"resourceLogs", "resource_logs"}
    is_logs = any(names & each.keys() for each in (*sample.objects, dict.fromkeys(sample.keys, 0)))
    fits = "com.anthropic.claude_code" in sample.text or '"claude_code.' in sample.text
    return "has log records of Claude Code" if is_logs and fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each log record; they stand on their export's line."""
    for item in items:
        if item.refusal is not None:
            yield item.refusal.at(item)
            continue
        try:
            records = list(exported(_EXPORTS.decoded(item)))
        except RejectedError as error:
            yield error.at(item)
            continue
        for found in records:
            yield outcome_of(item, partial(_event, options, found))


def _event(options: Options, found: Found, item: Item) -> Outcome:
    record = _RECORDS.of(found.body)
    told = of_pairs(record.attributes)
    name = (told.text("event.name") or str(plain(record.body))).removeprefix("claude_code.")
    if name not in _EVENTS:
        return Skipped(line=item.line)
    given_at = instant(record.time or record.time_snake, "timeUnixNano")
    given_at = given_at or instant(told.text("event.timestamp"), "event.timestamp")
    session_id, request_id = told.text("session.id"), told.text("request_id")
    # The sequence begins anew when a session is resumed, so the moment belongs to the key.
    sequence = told.count("event.sequence")
    known = (session_id, sequence, str(given_at)) if sequence is not None else found.body.decode()
    return counted(
        item,
        options,
        identity=Identity(
            gateway_request_id=request_id, fingerprint=b"" if request_id else fingerprint(known)
        ),
        use=_use(told, options, failed=name == "api_error"),
        started_at=given_at,
        session_id=session_id,
        turn_id=told.text("prompt.id"),
        user_id=told.text("user.email", "user.account_uuid", "user.id"),
        team=found.resource.text("team.id", "team"),
        cost_center=found.resource.text("cost_center", "cost.center", limit=80),
        environment=found.resource.text("deployment.environment.name", "deployment.environment"),
    )


def _use(told: Attributes, options: Options, *, failed: bool) -> Use:
    model = told.text("model")
    counts = NOTHING_REPORTED if failed else counts_of(_buckets(told))
    status = http_status(told.count("status_code"), "status_code") if failed else None
    error = told.text("error", limit=100_000) if failed else ""
    amount = told.cost("cost_usd")
    return Use(
        source=FORMAT.name,
        counts=counts,
        usage_state=state_of(counts),
        provider=provider_of("", model, options.provider),
        request_model=model or options.model,
        response_model="" if failed else model,
        status="error" if failed else "ok",
        http_status=status,
        # An error's text may quote the prompt; only a plain name is kept.
        error_type=error if _NAME.fullmatch(error) else "api_error" * failed,
        error_origin="" if not failed else "upstream" if status else "client",
        speed=told.text("speed", limit=40),
        duration_ms=told.milliseconds("duration_ms"),
        ttft_ms=told.milliseconds("ttft_ms"),
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )


def _buckets(told: Attributes) -> Counts:
    return Counts(
        input_tokens=told.count("input_tokens"),
        cache_read_input_tokens=told.count("cache_read_tokens"),
        cache_creation_input_tokens=told.count("cache_creation_tokens"),
        output_tokens=told.count("output_tokens"),
    )


FORMAT = Format(
    name="claude_code_otel",
    title="Claude Code OpenTelemetry logs",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="request_id; without it session.id, event.sequence and time",
    where="OTEL_LOGS_EXPORTER=otlp and a collector's file exporter; the same usage as the transcripts"
    " and the metrics: import one of them",
    source="anthropics/claude-code: monitoring documentation",
    recognise=recognise,
    read=read,
)
