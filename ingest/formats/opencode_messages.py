"""A message of OpenCode's, as a file or a row of its database holds it."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_disjoint
from ingest.formats.base import Item
from ingest.formats.cells import inner_json
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment


class Cache(msgspec.Struct):
    """Cached tokens; they stand beside the input, not in it."""

    read: Count = None
    write: Count = None


class Tokens(msgspec.Struct):
    """A message's tokens, each kind apart from the others."""

    input: Count = None
    output: Count = None
    reasoning: Count = None
    cache: Cache = msgspec.field(default_factory=Cache)


class Times(msgspec.Struct):
    """When a message was begun and when it was complete."""

    created: Moment = None
    completed: Moment = None


class Folder(msgspec.Struct):
    """Where the agent worked."""

    cwd: str | None = None


class ErrorDetails(msgspec.Struct):
    """What is known of a failed request."""

    status_code: Count = msgspec.field(default=None, name="statusCode")


class Error(msgspec.Struct):
    """Why a message ended before its end."""

    name: str | None = None
    data: ErrorDetails | None = None


class Message(msgspec.Struct):
    """One message; an assistant's is one request."""

    session_id: str | None = msgspec.field(default=None, name="sessionID")
    role: str | None = None
    parent_id: str | None = msgspec.field(default=None, name="parentID")
    provider: str | None = msgspec.field(default=None, name="providerID")
    model: str | None = msgspec.field(default=None, name="modelID")
    mode: str | None = None
    agent: str | None = None
    path: Folder | None = None
    cost: Exact = NOTHING
    time: Times = msgspec.field(default_factory=Times)
    tokens: Tokens | None = None
    finish: str | None = None
    error: Error | None = None


class Row(msgspec.Struct):
    """A row of the message table: what its JSON leaves out stands in columns."""

    session_id: str | None = None
    data: msgspec.Raw = NOTHING


_ROWS = Decoder(Row, {"data": 1})
_MESSAGES = Decoder(Message, {"tokens": 1, "input": 1, "output": 1, "created": 1})


def message_in(item: Item) -> Message:
    """The message that a file is, or that a row holds."""
    row = _ROWS.decoded(item)
    message = _MESSAGES.of(inner_json(row.data)) if row.data else _MESSAGES.decoded(item)
    message.session_id = message.session_id or row.session_id
    return message


def counts_of(tokens: Tokens) -> TokenCounts:
    """Inclusive counts: reasoning stands beside the output here."""
    answer = count(tokens.output, "tokens.output")
    reasoning = count(tokens.reasoning, "tokens.reasoning")
    return from_disjoint(
        uncached=count(tokens.input, "tokens.input"),
        cache_read=count(tokens.cache.read, "tokens.cache.read"),
        cache_write=count(tokens.cache.write, "tokens.cache.write"),
        output_tokens=None if answer is None else answer + (reasoning or 0),
        reasoning_output_tokens=reasoning,
    )


def fingerprint_of(message: Message) -> bytes:
    """A fork gives its copies new ids; times, model and tokens stay as they were."""
    tokens = message.tokens or Tokens()
    return fingerprint(
        message.time.created,
        message.time.completed,
        message.provider,
        message.model,
        tokens.input,
        tokens.output,
        tokens.reasoning,
        tokens.cache.read,
        tokens.cache.write,
    )
