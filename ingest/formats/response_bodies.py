"""A response of OpenAI's Responses API, of OpenAI or a compatible server; images and transcriptions."""

from collections.abc import Mapping

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Item, Outcome, Skipped
from ingest.formats.body_reading import Family, Reading, usage_of
from ingest.formats.calls import counted
from ingest.formats.fields import Count, Decoder, count, text
from ingest.formats.moments import Moment, elapsed_ms, moment
from ingest.formats.openai_usage import WATCHED, Error, maker_of, state_of
from ingest.formats.vendor_usage import Usage, cost_of, counts_of, warnings_of

STATUSES = {
    "completed": "ok",
    "incomplete": "ok",
    "failed": "error",
    "cancelled": "cancelled",
    "in_progress": "pending",
    "queued": "pending",
}
#: What tells this usage from Anthropic's, which counts input_tokens too.
_OWN = {"total_tokens", "input_tokens_details", "input_token_details"}


class Named(msgspec.Struct):
    """An object known by its id, or the reason of an incomplete answer."""

    id: str | None = None
    reason: str | None = None


class Response(msgspec.Struct):
    """A response in any state of its life."""

    id: str | None = None
    object: str | None = None
    created: Moment = None  # images
    created_at: Moment = None
    completed_at: Moment = None
    status: str | None = None
    incomplete_details: Named | None = None
    error: Error | None = None
    model: str | None = None
    service_tier: str | None = None
    conversation: Named | str | None = None
    user: str | None = None
    safety_identifier: str | None = None
    max_output_tokens: Count = None
    background: bool | None = None
    usage: Usage | None = None


DECODER = Decoder(Response, WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """A response object, or a usage that counts input tokens OpenAI's way."""
    usage = usage_of(body)
    return body.get("object") == "response" or (
        "input_tokens" in usage and "request_id" not in body and bool(_OWN & usage.keys())
    )


def read(item: Item, reading: Reading) -> Outcome:
    """One response."""
    body = DECODER.decoded(item)
    if body.object != "response" and body.usage is None:
        return Skipped(line=item.line)
    return outcome(body, item, reading)


def outcome(
    body: Response, item: Item, reading: Reading, *, is_stream: bool | None = None
) -> Outcome:
    """One response, in its last state."""
    options, usage = reading.options, body.usage
    counts = NOTHING_REPORTED if usage is None else counts_of(usage)
    amount = cost_of(usage) if usage else None
    status = "error" if body.error else STATUSES.get(body.status or "completed", "ok")
    details = body.incomplete_details or Named()
    model = text(body.model, "model")
    response_id = text(body.id, "id")
    started_at = moment(body.created_at or body.created, "created_at")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=reading.source,
        provider=_provider_of(usage, model, options.provider),
        request_model=model or options.model,
        response_model=model,
        service_tier=text(body.service_tier, "service_tier", 40),
        status=status,
        error_type=text(body.error.name, "error.code") if body.error else "",
        error_origin="upstream" if status == "error" else "",
        finish_reason=text(details.reason or body.status, "status", 80),
        is_stream=is_stream,
        max_output_tokens=count(body.max_output_tokens, "max_output_tokens"),
        duration_ms=elapsed_ms(started_at, moment(body.completed_at, "completed_at")),
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    conversation = body.conversation
    session = conversation.id if isinstance(conversation, Named) else conversation
    return counted(
        item,
        options,
        identity=reading.identity(item, response_id=response_id),
        use=use,
        started_at=started_at,
        warnings=warnings_of(usage, counts) if usage else (),
        time_quality="second",
        session_id=text(session, "conversation"),
        user_id=text(body.user or body.safety_identifier, "user"),
    )


def _provider_of(usage: Usage | None, model: str, asked: str) -> str:
    """Who served it: the vendor whose own fields it has, the import's, or OpenAI for its models."""
    if usage is not None and (usage.is_byok is not None or bytes(usage.cost_details)):
        return "openrouter"
    if usage is not None and usage.cost_in_usd_ticks is not None:
        return "x-ai"
    return provider_id(asked) or maker_of(model)


FAMILY = Family(name="response", fits=fits, read=read)
