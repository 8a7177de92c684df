"""Gemini CLI's chats: a JSON document per session, or JSON lines that rewrite their messages."""

from collections.abc import Iterable, Iterator
from functools import partial

from accounting.domain.usage import Identity, Use
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
from ingest.formats.calls import counted
from ingest.formats.fields import outcome_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.gemini_chats import Session, counts_of, message_in
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of

_HEADER = {"sessionId", "projectHash", "startTime"}


def recognise(sample: Sample) -> str:
    """A session's head, or messages of type gemini with tokens."""
    for each in sample.objects:
        if each.keys() >= _HEADER:
            return "has sessionId, projectHash and startTime"
        if each.get("type") == "gemini" and "tokens" in each:
            return "has messages of type gemini with tokens"
    return "begins like a chat of Gemini CLI" if sample.keys >= _HEADER else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each message, and for each line that is none."""
    if not isinstance(state, Session):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    for item in items:
        try:
            messages = state.messages(item)
        except RejectedError as error:
            yield error.at(item)
            continue
        for each in messages:
            yield outcome_of(each, partial(_message, options, state))


def _message(options: Options, session: Session, item: Item) -> Outcome:
    message = message_in(item)
    if message.type != "gemini" or message.tokens is None:
        return Skipped(line=item.line)
    message_id = text(message.id, "id")
    if not message_id:
        raise RejectedError("missing_field", "a response without its id", field="id")
    counts, warnings = counts_of(message.tokens)
    model = text(message.model, "model")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="google",
        request_model=model or options.model,
        response_model=model,
    )
    project = session.project_hash
    return counted(
        item,
        options,
        identity=Identity(fingerprint=fingerprint(session.session_id, message_id)),
        use=use,
        started_at=moment(message.moment, "timestamp"),
        warnings=warnings,
        session_id=session.session_id,
        is_sidechain=session.is_subagent,
        tags=(("project_hash", project),) if project else (),
    )


FORMAT = Format(
    name="gemini_cli",
    title="Gemini CLI chats",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="sessionId and the message's id; the most complete of its rewrites stands",
    where="~/.gemini/tmp/<project>/chats/session-*.json or .jsonl, subagents in a folder beside it",
    source="google-gemini/gemini-cli: chatRecordingService",
    recognise=recognise,
    read=read,
    new_state=Session,
)
