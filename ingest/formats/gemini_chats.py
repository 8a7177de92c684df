"""The lines and documents of Gemini CLI's chats, and what a response's tokens mean."""

from collections.abc import Iterable

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.base import Item, State
from ingest.formats.fields import Count, Decoder, count, text
from ingest.formats.messages_within import each_of
from ingest.formats.moments import Moment


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


_LINES = Decoder(Line, {"sessionId": 1})
_MESSAGES = Decoder(Message, {"input": 1, "output": 1, "tokens": 1})


class Session(State):
    """The session that the following lines belong to."""

    session_id: str = ""
    project_hash: str = ""
    is_subagent: bool = False

    def messages(self, item: Item) -> Iterable[Item]:
        """The messages that an item holds, or the item itself; its head is remembered."""
        if item.refusal is not None:
            return [item]
        line = _LINES.decoded(item)
        head = line.change or line
        self.session_id = text(head.session_id, "sessionId") or self.session_id
        self.project_hash = text(head.project_hash, "projectHash") or self.project_hash
        self.is_subagent = self.is_subagent or head.kind == "subagent"
        return each_of(item, head.messages)


def message_in(item: Item) -> Message:
    """One message."""
    return _MESSAGES.decoded(item)


def counts_of(tokens: Tokens) -> tuple[TokenCounts, tuple[str, ...]]:
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
