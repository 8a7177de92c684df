"""GitHub Copilot's SDK and CLI events: assistant.usage tells one request, a shutdown sums them up."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

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
from ingest.formats.calls import counted
from ingest.formats.fields import Count, Decoder, count, milliseconds, outcomes, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_TYPES = {
    "assistant.usage",
    "assistant.message",
    "assistant.turn_start",
    "session.shutdown",
    "session.start",
    "user.message",
}


class Context(msgspec.Struct):
    """Where a session was begun."""

    cwd: str | None = None


class Data(msgspec.Struct, rename="camel"):
    """What an event tells. cost is a multiplier of premium requests and no money."""

    session_id: str | None = None
    context: Context | None = None
    model: str | None = None
    input_tokens: Count = None
    output_tokens: Count = None
    cache_read_tokens: Count = None
    cache_write_tokens: Count = None
    reasoning_tokens: Count = None
    duration: Count = None
    time_to_first_token_ms: Count = None
    ttft_ms: Count = None
    inter_token_latency_ms: Count = None
    initiator: str | None = None
    api_call_id: str | None = None
    provider_call_id: str | None = None
    service_request_id: str | None = None


class Event(msgspec.Struct):
    """One event; other types than assistant.usage carry no usage of their own."""

    id: str | None = None
    moment: Moment = msgspec.field(default=None, name="timestamp")
    type: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")


class Session(State):
    """The session that the following events belong to."""

    session_id: str = ""
    folder: str = ""


_EVENTS = Decoder(Event, {"data": 1})
_DATA = Decoder(Data, {"inputTokens": 1, "outputTokens": 1, "model": 1})


def recognise(sample: Sample) -> str:
    """Events of Copilot's types with data."""
    for each in sample.objects:
        if str(each.get("type")) in _TYPES and isinstance(each.get("data"), dict):
            return f"has {each['type']} events with data"
    return ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each event; the state carries the session."""
    if not isinstance(state, Session):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_event, options, state))


def _event(options: Options, session: Session, item: Item) -> Outcome:
    event = _EVENTS.decoded(item)
    if event.type not in {"assistant.usage", "session.start"}:
        return Skipped(line=item.line)
    data = _DATA.of(bytes(event.data))
    if event.type == "session.start":
        session.session_id = text(data.session_id, "data.sessionId")
        session.folder = text(data.context.cwd, "data.context.cwd", 1000) if data.context else ""
        return Skipped(line=item.line)
    counts = _counts(data)
    model = text(data.model, "data.model")
    response_id = text(data.api_call_id, "data.apiCallId")
    request_id = text(data.provider_call_id or data.service_request_id, "data.providerCallId")
    ttft = data.time_to_first_token_ms if data.ttft_ms is None else data.ttft_ms
    initiator = text(data.initiator, "data.initiator")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="github-copilot",
        request_model=model or options.model,
        response_model=model,
        duration_ms=milliseconds(data.duration, "data.duration"),
        ttft_ms=milliseconds(ttft, "data.timeToFirstTokenMs"),
        tpot_ms=milliseconds(data.inter_token_latency_ms, "data.interTokenLatencyMs"),
    )
    return counted(
        item,
        options,
        identity=Identity(
            response_id=response_id,
            gateway_request_id=request_id,
            fingerprint=fingerprint(str(event.id or event.moment), bytes(event.data).decode()),
        ),
        use=use,
        started_at=moment(event.moment, "timestamp"),
        session_id=text(data.session_id, "data.sessionId") or session.session_id,
        working_folder=session.folder,
        agent="" if initiator == "user" else initiator,
        is_sidechain=initiator == "sub-agent",
    )


def _counts(data: Data) -> TokenCounts:
    return from_inclusive(
        input_tokens=count(data.input_tokens, "data.inputTokens"),
        cache_read_input_tokens=count(data.cache_read_tokens, "data.cacheReadTokens"),
        cache_write_input_tokens=count(data.cache_write_tokens, "data.cacheWriteTokens"),
        output_tokens=count(data.output_tokens, "data.outputTokens"),
        reasoning_output_tokens=count(data.reasoning_tokens, "data.reasoningTokens"),
    )


FORMAT = Format(
    name="copilot_sdk",
    title="GitHub Copilot SDK events",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="apiCallId; else providerCallId or serviceRequestId; else the event's id and what it says",
    where="events kept by your own program from the Copilot SDK, or ~/.copilot/session-state",
    source="github/copilot-sdk: generated event types",
    recognise=recognise,
    read=read,
    new_state=Session,
)
