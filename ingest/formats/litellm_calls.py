"""One call of LiteLLM's, told by its payload or its spend logs, as one record."""

import base64
import binascii
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Place, UsageRecord, Use
from accounting.domain.values import quick
from ingest.formats.base import Counted, Item, Options, Outcome, Skipped
from ingest.formats.calls import settled, used
from ingest.formats.fields import Count, Exact, cost, count, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.labels import checked_tags
from ingest.formats.litellm_usage import (
    NO_ERROR,
    NO_USAGE,
    ErrorInformation,
    Metadata,
    counts_of,
)
from ingest.formats.moments import Moment, elapsed_ms, moment
from ingest.formats.openai_usage import state_of

#: LiteLLM's call type -> the operation's OpenTelemetry name; others are chat.
OPERATIONS = {
    "embedding": "embeddings",
    "text_completion": "text_completion",
    "image_generation": "image_generation",
    "image_edit": "image_generation",
    "transcription": "transcription",
    "speech": "speech",
    "moderation": "moderation",
    "rerank": "rerank",
}
#: What LiteLLM's proxy asks when somebody tests a callback (/health/services): it uses nothing.
TEST_MODEL = "litellm-mock-response-model"
_CACHE_HIT = re.compile(r"_cache_hit[\d.]+$")


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call as either log tells it, its values not checked yet."""

    id: str | None
    trace_id: str | None = None
    call_type: str | None
    is_cache_hit: bool
    is_stream: bool | None = None
    status: str | None
    provider: str | None
    cost: Exact
    prompt_tokens: Count
    completion_tokens: Count
    total_tokens: Count
    started: Moment
    ended: Moment
    answered: Moment
    model: str | None
    model_group: str | None
    session_id: str | None
    team: str | None
    user_id: str | None
    end_user: str | None
    request_tags: Iterable[str]
    max_tokens: Count = None
    error: ErrorInformation | None


def outcome_of_call(
    call: Call, metadata: Metadata, *, source: str, item: Item, options: Options
) -> Outcome:
    """The call as one record; a call of a tool (MCP) is no model request and is skipped."""
    if "mcp" in (call.call_type or ""):
        return Skipped(line=item.line)
    if (call.model or "").endswith(TEST_MODEL):
        return Skipped(line=item.line, code="connection_test")
    given_at = moment(call.started, "startTime", naive_is_utc=True)
    identity = Identity(
        response_id=text(_call_id(call, given_at), "id"),
        trace_id=text(call.trace_id, "trace_id"),
        fingerprint=b"" if call.id else fingerprint(call),
    )
    record = UsageRecord(
        identity=identity,
        use=settled(_use(call, metadata, source, given_at)),
        place=_place(call, metadata, given_at or options.assumed_time, item),
        restamps=given_at is None,
    )
    return Counted(line=item.line, records=(record,))


def _use(call: Call, metadata: Metadata, source: str, started_at: datetime | None) -> Use:
    failed = call.status == "failure"
    usage = metadata.usage_object or metadata.additional_usage_values or NO_USAGE
    counts = counts_of(call.prompt_tokens, call.completion_tokens, call.total_tokens, usage)
    counts = used(counts, failed=failed)
    operation, processing = _operation(call.call_type or "")
    error = call.error or NO_ERROR
    model = text(call.model, "model")
    ended = moment(call.ended, "endTime", naive_is_utc=True)
    answered = moment(call.answered, "completionStartTime", naive_is_utc=True)
    streamed = call.is_stream or (call.is_stream is None and answered != ended)
    return Use(
        counts=counts,
        usage_state=state_of(counts),
        source=source,
        provider=provider_id(text(call.provider, "custom_llm_provider")),
        request_model=text(call.model_group, "model_group") or model,
        response_model=model,
        operation=operation,
        processing=processing,
        status="error" if failed else "ok",
        http_status=_http_status(error) if failed else None,
        error_type=text(error.error_class, "error_class") if failed else "",
        error_origin=("upstream" if error.llm_provider else "gateway") if failed else "",
        is_stream=call.is_stream,
        gateway_cache_hit=call.is_cache_hit,
        billable=not call.is_cache_hit,
        max_output_tokens=count(call.max_tokens, "max_tokens"),
        duration_ms=elapsed_ms(started_at, ended),
        ttft_ms=elapsed_ms(started_at, answered) if streamed and not failed else None,
        reported_cost=cost(call.cost, "cost"),
        reported_currency="USD",
    )


def _place(call: Call, metadata: Metadata, started_at: datetime, item: Item) -> Place:
    tags = _tags(call, metadata)
    return Place(
        started_at=started_at,
        session_id=text(call.session_id, "session_id"),
        user_id=text(call.user_id, "user"),
        team=text(call.team, "team"),
        cost_center=text(tags.get("cost_center"), "cost_center", 80),
        environment=tags.get("env") or tags.get("environment") or "",
        api_key_name=text(metadata.user_api_key_alias, "user_api_key_alias"),
        tags=checked_tags(tags),
        time_quality="assumed" if not call.started else "exact",
        line=item.line,
    )


def _call_id(call: Call, started_at: datetime | None) -> str:
    """The id under which other logs know this call.

    A response id that LiteLLM wrapped is unwrapped to the provider's. A hit in LiteLLM's own cache
    repeats the id of the answer it found: its own start is added, as LiteLLM does in spend logs.
    """
    plain = _unwrapped(call.id or "")
    if call.is_cache_hit and plain and not _CACHE_HIT.search(plain) and started_at is not None:
        return f"{plain}_cache_hit{started_at.timestamp()}"
    return plain


def _operation(call_type: str) -> tuple[str, str]:
    """The operation and the processing ('batch' or '') of a call type."""
    return OPERATIONS.get(call_type.removeprefix("a"), "chat"), "batch" * ("batch" in call_type)


def _tags(call: Call, metadata: Metadata) -> dict[str, str]:
    """Request tags ('key:value' or a bare word), scalar spend-log metadata, and the end user."""
    found: dict[str, str] = {}
    for name in call.request_tags:
        key, _, value = text(name, "request_tags").partition(":")
        found.setdefault(key.strip(), value.strip())
    if metadata.spend_logs_metadata:
        for key, inner in metadata.spend_logs_metadata.items():
            if isinstance(inner, str | int) and not isinstance(inner, bool):
                found[text(key, "spend_logs_metadata")] = text(str(inner), "spend_logs_metadata")
    if call.end_user:
        found["end_user"] = text(call.end_user, "end_user")
    return found


def _http_status(error: ErrorInformation) -> int | None:
    code = str(error.error_code or "")
    return int(code) if re.fullmatch(r"[1-5]\d\d", code, re.ASCII) else None


def _unwrapped(written: str) -> str:
    head, _, wrapped = written.partition("resp_")
    if head or len(wrapped) < 40:
        return written
    try:
        inner = base64.b64decode(wrapped + "=" * (-len(wrapped) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return written
    _, found, provider_id = inner.partition(";response_id:")
    return provider_id if found and inner.startswith("litellm:") else written
