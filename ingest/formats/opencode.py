"""OpenCode's messages: a JSON file per message, or rows of the message table of its database."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_disjoint
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
from ingest.formats.calls import counted, http_status, used
from ingest.formats.cells import inner_json
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, count, outcomes, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, elapsed_ms, moment
from ingest.formats.openai_usage import state_of


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


def recognise(sample: Sample) -> str:
    """Messages or their parts with sessionID, or rows that hold messages."""
    for each in sample.objects:
        if "sessionID" in each and {"role", "messageID"} & each.keys():
            return "has sessionID beside role or messageID"
        data = each.get("data")
        if "session_id" in each and isinstance(data, str | dict) and _names_role(data):
            return "has rows of a message table"
    return "begins like a message" if {"sessionID", "modelID"} <= sample.keys else ""


def _names_role(data: str | dict[str, object]) -> bool:
    return "role" in data if isinstance(data, dict) else '"role"' in data


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each message."""
    return outcomes(items, partial(_message, options))


def _message(options: Options, item: Item) -> Outcome:
    row = _ROWS.decoded(item)
    message = _MESSAGES.of(inner_json(row.data)) if row.data else _MESSAGES.decoded(item)
    # A message that is still being written reports zeros; it is counted when it is complete.
    has_ended = message.time.completed is not None or message.error is not None
    if message.role != "assistant" or message.tokens is None or not has_ended:
        return Skipped(line=item.line)
    error = text(message.error.name, "error.name") if message.error else ""
    failed = bool(message.error) and error != "MessageAbortedError"
    counts = used(_counts(message.tokens), failed=bool(message.error))
    model = text(message.model, "modelID")
    started_at = moment(message.time.created, "time.created")
    ended_at = moment(message.time.completed, "time.completed")
    details = message.error.data if message.error else None
    status = http_status(details.status_code, "error.data.statusCode") if details else None
    amount = cost(message.cost, "cost")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(text(message.provider, "providerID")),
        request_model=model or options.model,
        response_model="" if failed else model,
        status="error" if failed else "cancelled" if message.error else "ok",
        http_status=status,
        error_type=error,
        error_origin="" if not failed else "upstream" if status else "client",
        finish_reason=text(message.finish, "finish", 80),
        duration_ms=elapsed_ms(started_at, ended_at),
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=_fingerprint(message)),
        use=use,
        started_at=started_at,
        session_id=text(message.session_id or row.session_id, "sessionID"),
        turn_id=text(message.parent_id, "parentID"),
        agent=text(message.agent or message.mode, "agent"),
        working_folder=text(message.path.cwd, "path.cwd", 1000) if message.path else "",
    )


def _counts(tokens: Tokens) -> TokenCounts:
    answer = count(tokens.output, "tokens.output")
    reasoning = count(tokens.reasoning, "tokens.reasoning")
    return from_disjoint(
        uncached=count(tokens.input, "tokens.input"),
        cache_read=count(tokens.cache.read, "tokens.cache.read"),
        cache_write=count(tokens.cache.write, "tokens.cache.write"),
        output_tokens=None if answer is None else answer + (reasoning or 0),
        reasoning_output_tokens=reasoning,
    )


def _fingerprint(message: Message) -> bytes:
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


FORMAT = Format(
    name="opencode",
    title="OpenCode messages",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="when the message was begun and completed, its provider, model and tokens: forks copy"
    " messages under new ids",
    where="~/.local/share/opencode/storage/message/<session>/msg_*.json, or"
    " `sqlite3 -json opencode.db 'select * from message'`",
    source="sst/opencode: message schema; fixtures of tokscale",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl"),
)
