"""GitHub Copilot's SDK and CLI events: assistant.usage tells one request, a shutdown sums them up."""

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
from ingest.formats.copilot_events import EVENTS, counts_of, data_of
from ingest.formats.fields import milliseconds, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.states import read_in_order

_TYPES = {
    "assistant.usage",
    "assistant.message",
    "assistant.turn_start",
    "session.shutdown",
    "session.start",
    "user.message",
}


class Session(State):
    """The session that the following events belong to."""

    session_id: str = ""
    folder: str = ""


def recognise(sample: Sample) -> str:
    """Events of Copilot's types with data."""
    for each in sample.objects:
        if str(each.get("type")) in _TYPES and isinstance(each.get("data"), dict):
            return f"has {each['type']} events with data"
    return ""


def _event(options: Options, session: Session, item: Item) -> Outcome:
    event = EVENTS.decoded(item)
    if event.type not in {"assistant.usage", "session.start"}:
        return Skipped(line=item.line)
    data = data_of(event)
    if event.type == "session.start":
        session.session_id = text(data.session_id, "data.sessionId")
        session.folder = text(data.context.cwd, "data.context.cwd", 1000) if data.context else ""
        return Skipped(line=item.line)
    counts = counts_of(data)
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
    read=read_in_order(Session, _event),
    new_state=Session,
)
