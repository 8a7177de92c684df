"""OpenAI's responses: bodies (also polled ones, that repeat an id) and streams of events."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Identity, Place, UsageRecord, Use
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
    Skipped,
    State,
    Unit,
)
from ingest.formats.fields import Count, Decoder, count, outcome_of, outcomes_of_stream, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, elapsed_ms, moment
from ingest.formats.openai_usage import (
    WATCHED,
    Error,
    Usage,
    counts_of,
    maker_of,
    state_of,
    warnings_of,
)
from ingest.formats.streams import chunks

_STATUSES = {
    "completed": "ok",
    "incomplete": "ok",
    "failed": "error",
    "cancelled": "cancelled",
    "in_progress": "pending",
    "queued": "pending",
}


class Named(msgspec.Struct):
    """An object known by its id, or the reason of an incomplete answer."""

    id: str | None = None
    reason: str | None = None


class Response(msgspec.Struct):
    """A response in any state of its life."""

    id: str | None = None
    object: str | None = None
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


class Event(msgspec.Struct):
    """One event of a stream; the events of a response's life carry the whole response."""

    type: str | None = None
    response: Response | None = None


_BODIES = Decoder(Response, WATCHED)
_EVENTS = Decoder(Event, WATCHED)


def recognise(sample: Sample) -> str:
    """The object says so, or the events of a response's life stand in it."""
    for each in sample.objects:
        kind = str(each.get("type", ""))
        if each.get("object") == "response":
            return "has response objects"
        if kind.startswith("response.") and isinstance(each.get("response"), dict):
            return "has the events of a response stream"
    told_apart = {"output", "incomplete_details", "max_output_tokens", "parallel_tool_calls"}
    fits = {"created_at", "object"} <= sample.keys and told_apart & sample.keys
    return "begins like a response" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each body and each streamed response."""
    for item in items:
        if item.is_stream:
            told = partial(_outcome, options, is_stream=True)
            yield from outcomes_of_stream(item, _responses, told)
        else:
            yield outcome_of(item, partial(_body, options))


def _body(options: Options, item: Item) -> Outcome:
    body = _BODIES.decoded(item)
    if body.object != "response" and body.usage is None:
        return Skipped(line=item.line)
    return _outcome(options, (item.line, body), is_stream=None)


def _responses(stream: bytes) -> list[tuple[int, Response]]:
    """The last state of each response in a stream, with the line where it began."""
    found: dict[str | None, tuple[int, Response]] = {}
    refusal = RejectedError("not_a_stream", "no event carries a response")
    for line, chunk in chunks(stream):
        try:
            body = _EVENTS.of(chunk).response
        except RejectedError as error:
            refusal = error
            continue
        if body is not None:
            first, _ = found.get(body.id, (line, None))
            found[body.id] = (first, body)
    if not found:
        raise refusal
    for _, body in found.values():
        # A stream that stops before its last event was cut off: nobody is still working on it.
        if _STATUSES.get(body.status or "") == "pending":
            body.status = "cancelled"
    return list(found.values())


def _outcome(options: Options, told: tuple[int, Response], *, is_stream: bool | None) -> Outcome:
    line, body = told
    counts = NOTHING_REPORTED if body.usage is None else counts_of(body.usage)
    status = "error" if body.error else _STATUSES.get(body.status or "completed", "ok")
    details = body.incomplete_details or Named()
    model = text(body.model, "model")
    started_at = moment(body.created_at, "created_at")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider) or maker_of(model),
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
    )
    conversation = body.conversation
    session = conversation.id if isinstance(conversation, Named) else conversation
    place = Place(
        started_at=started_at or options.assumed_time,
        session_id=text(session, "conversation"),
        user_id=text(body.user or body.safety_identifier, "user") or options.user_id,
        time_quality="second" if started_at else "assumed",
        line=line,
    )
    response_id = text(body.id, "id")
    digest = b"" if response_id else fingerprint(body)
    record = UsageRecord(
        identity=Identity(response_id=response_id, fingerprint=digest),
        use=use,
        place=place,
        restamps=started_at is None,
    )
    warnings = warnings_of(body.usage, counts) if body.usage else ()
    return Counted(line=line, records=(record,), warnings=warnings)


FORMAT = Format(
    name="openai_responses",
    title="OpenAI responses",
    unit=Unit.JSON,
    also=(Unit.SSE,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the response; without it what it says",
    where="bodies or streams of POST /v1/responses, kept by your own program or proxy",
    source="openai-openapi; bodies recorded by vercel/ai",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".sse", ".txt"),
)
