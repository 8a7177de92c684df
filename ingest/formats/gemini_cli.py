"""Gemini CLI's chats: a JSON document per session, or JSON lines that rewrite their messages."""

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
    RejectedError,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.calls import counted
from ingest.formats.fields import Count, Decoder, count, json_of, outcome_of, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.messages_within import each_of
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_HEADER = {"sessionId", "projectHash", "startTime"}


class Tokens(msgspec.Struct):
    """A response's tokens: input includes cached ones, output leaves thoughts out."""

    input: Count = None
    output: Count = None
    cached: Count = None
    thoughts: Count = None
    tool: Count = None
    total: Count = None


class Message(msgspec.Struct):
    """A message of the chat; one of type gemini is one response."""

    id: str | None = None
    moment: Moment = msgspec.field(default=None, name="timestamp")
    type: str | None = None
    model: str | None = None
    tokens: Tokens | None = None


class Chat(msgspec.Struct):
    """A session: its head, and in a document or a checkpoint its messages."""

    session_id: str | None = msgspec.field(default=None, name="sessionId")
    project_hash: str | None = msgspec.field(default=None, name="projectHash")
    kind: str | None = None
    messages: list[msgspec.Raw] | None = None


class Line(Chat):
    """A line: the session's head, a message, or a change of the session's head."""

    change: Chat | None = msgspec.field(default=None, name="$set")


class Session(State):
    """The session that the following lines belong to."""

    session_id: str = ""
    project_hash: str = ""
    is_subagent: bool = False


_LINES = Decoder(Line, {"sessionId": 1})
_MESSAGES = Decoder(Message, {"input": 1, "output": 1, "tokens": 1})


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
            messages = _messages(state, item)
        except RejectedError as error:
            yield error.at(item)
            continue
        for each in messages:
            yield outcome_of(each, partial(_message, options, state))


def _messages(session: Session, item: Item) -> Iterable[Item]:
    """The messages that an item holds, or the item itself."""
    if item.refusal is not None:
        return [item]
    line = _LINES.decoded(item)
    head = line.change or line
    session.session_id = text(head.session_id, "sessionId") or session.session_id
    session.project_hash = text(head.project_hash, "projectHash") or session.project_hash
    session.is_subagent = session.is_subagent or head.kind == "subagent"
    return each_of(item, head.messages)


def _message(options: Options, session: Session, item: Item) -> Outcome:
    message = _MESSAGES.of(json_of(item))
    if message.type != "gemini" or message.tokens is None:
        return Skipped(line=item.line)
    message_id = text(message.id, "id")
    if not message_id:
        raise RejectedError("missing_field", "a response without its id", field="id")
    counts, warnings = _counts(message.tokens)
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


def _counts(tokens: Tokens) -> tuple[TokenCounts, tuple[str, ...]]:
    """Inclusive counts: what tools put into the prompt is input, thoughts are output.

    Gemini's requests write no cache.
    """
    prompt = count(tokens.input, "tokens.input")
    answer = count(tokens.output, "tokens.output")
    thoughts = count(tokens.thoughts, "tokens.thoughts")
    tools = count(tokens.tool, "tokens.tool")
    total = count(tokens.total, "tokens.total")
    counts = from_inclusive(
        input_tokens=None if prompt is None else prompt + (tools or 0),
        cache_read_input_tokens=count(tokens.cached, "tokens.cached"),
        cache_write_input_tokens=None if prompt is None else 0,
        tool_use_input_tokens=tools,
        output_tokens=None if answer is None else answer + (thoughts or 0),
        reasoning_output_tokens=thoughts,
    )
    expected = (counts.input_tokens or 0) + (counts.output_tokens or 0)
    return counts, () if total in {None, expected} else ("inconsistent_total",)


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
