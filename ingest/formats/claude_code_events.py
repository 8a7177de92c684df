"""Claude Code's own events among OpenTelemetry's log records: one for each request and failed attempt."""

import re

from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats.anthropic_usage import Counts, counts_of, provider_of
from ingest.formats.base import Item, Options, Outcome, Skipped
from ingest.formats.calls import counted, http_status
from ingest.formats.fingerprints import fingerprint
from ingest.formats.openai_usage import state_of
from ingest.formats.otlp_records import Record
from ingest.formats.otlp_values import Attributes, instant

SOURCE = "claude_code_otel"
_PREFIX, _SCOPE = "claude_code.", "com.anthropic.claude_code"
_EVENTS = {"api_request", "api_error"}
_NAME = re.compile(r"[\w.-]{1,80}", re.ASCII)


def is_one(record: Record) -> bool:
    """Whether Claude Code wrote a log record."""
    return record.scope.startswith(_SCOPE) or record.body.startswith(_PREFIX)


def event(record: Record, item: Item, options: Options) -> Outcome:
    """One request or failed attempt; a skip of Claude Code's other events."""
    told = record.told
    name = (told.text("event.name") or record.event or record.body).removeprefix(_PREFIX)
    if name not in _EVENTS:
        return Skipped(line=item.line)
    given_at = instant(record.end, "timeUnixNano")
    given_at = given_at or instant(told.text("event.timestamp"), "event.timestamp")
    session_id, request_id = told.text("session.id"), told.text("request_id")
    # The sequence begins anew when a session is resumed, so the moment belongs to the key.
    sequence = told.count("event.sequence")
    known = (session_id, sequence, str(given_at)) if sequence is not None else record.written
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
        team=record.resource.text("team.id", "team"),
        cost_center=record.resource.text("cost_center", "cost.center", limit=80),
        environment=record.resource.text("deployment.environment.name", "deployment.environment"),
    )


def _use(told: Attributes, options: Options, *, failed: bool) -> Use:
    model = told.text("model")
    counts = NOTHING_REPORTED if failed else counts_of(_buckets(told))
    status = http_status(told.count("status_code"), "status_code") if failed else None
    error = told.text("error", limit=100_000) if failed else ""
    amount = told.cost("cost_usd")
    return Use(
        source=SOURCE,
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
