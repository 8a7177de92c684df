"""Claude Code's transcripts: one JSON line per content block, so a request stands on several."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec

from accounting.domain.usage import Identity, Place, Use
from ingest.formats.anthropic_usage import WATCHED, Usage, provider_of, records
from ingest.formats.base import (
    Convention,
    Counted,
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
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, json_of, outcomes, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.long_lines import spared
from ingest.formats.moments import Moment, moment

#: The line types that only a transcript has; others are ignored when lines are read.
_TYPES = {"assistant", "user", "system", "attachment", "progress", "queue-operation"}


class Line(msgspec.Struct):
    """One line; only assistant lines carry usage, and the oldest have no type."""

    type: str | None = None
    message: msgspec.Raw = msgspec.Raw(b"null")
    moment: Moment = msgspec.field(default=None, name="timestamp")
    session_id: str | None = msgspec.field(default=None, name="sessionId")
    agent_id: str | None = msgspec.field(default=None, name="agentId")
    request_id: str | None = msgspec.field(default=None, name="requestId")
    is_sidechain: bool | None = msgspec.field(default=None, name="isSidechain")
    reported_cost: Exact = msgspec.field(default=NOTHING, name="costUSD")
    uuid: str | None = None
    cwd: str | None = None
    # Tools that convert transcripts write the counts beside the message.
    input_tokens: Count = msgspec.field(default=None, name="inputTokens")
    output_tokens: Count = msgspec.field(default=None, name="outputTokens")
    cache_read: Count = msgspec.field(default=None, name="cacheReadInputTokens")
    cache_creation: Count = msgspec.field(default=None, name="cacheCreationInputTokens")

    @property
    def usage(self) -> Usage | None:
        """The counts beside the message."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_read_input_tokens=self.cache_read,
            cache_creation_input_tokens=self.cache_creation,
        )


class Message(msgspec.Struct):
    """An assistant's message as Anthropic answered it."""

    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


_LINES = Decoder(Line, {"sessionId": 1, "timestamp": 1, "message": 1})
_MESSAGES = Decoder(Message, WATCHED)


def recognise(sample: Sample) -> str:
    """A line of a known type with a session, or an assistant's message with usage."""
    for each in sample.objects:
        message = each.get("message")
        if str(each.get("type")) in _TYPES and "sessionId" in each and "message" in each:
            return "has transcript lines with type, sessionId and message"
        if each.get("type") == "summary" and "leafUuid" in each:
            return "has transcript summaries"
        if isinstance(message, dict) and "usage" in message and _is_answer(each.get("type")):
            return "has assistant messages with usage"
        if each.get("type") == "file-history-snapshot" or {"sessionId", "uuid"} <= each.keys():
            return "has transcript lines"
        if str(each.get("type")) in _TYPES and {"uuid", "message"} <= each.keys():
            return "has transcript lines without sessions"
    fits = {"sessionId", "isSidechain"} <= sample.keys
    return "begins like a transcript line" if fits else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each line."""
    return outcomes(spared(items, {"type"}, _is_other), partial(_line, options))


def _line(options: Options, item: Item) -> Outcome:
    body = json_of(item)
    line = _LINES.envelope(body)
    if not _is_answer(line.type) or not bytes(line.message).startswith(b"{"):
        return Skipped(line=item.line)
    _LINES.doubt(body)  # only now: the longest lines are results of tools
    message = _MESSAGES.of(bytes(line.message))
    model = text(message.model, "message.model")
    usage = message.usage or line.usage
    if usage is None or model == "<synthetic>":
        return Skipped(line=item.line)
    response_id = text(message.id, "message.id")
    given_at = moment(line.moment, "timestamp")
    identity = Identity(
        response_id=response_id,
        gateway_request_id=text(line.request_id, "requestId"),
        fingerprint=b"" if response_id else _fingerprint(line),
    )
    amount = cost(line.reported_cost, "costUSD")
    use = Use(
        source=FORMAT.name,
        provider=provider_of(response_id, model, options.provider),
        request_model=model or options.model,
        response_model=model,
        finish_reason=text(message.stop_reason, "message.stop_reason", 80),
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    place = Place(
        started_at=given_at or options.assumed_time,
        is_sidechain=bool(line.is_sidechain),
        session_id=text(line.session_id, "sessionId"),
        agent=text(line.agent_id, "agentId"),
        user_id=options.user_id,
        working_folder=text(line.cwd, "cwd", 1000),
        time_quality="exact" if given_at else "assumed",
        line=item.line,
    )
    # Resumed and forked sessions may repeat a message under a later time.
    told = records(usage, identity=identity, use=use, place=place, restamps=True)
    return Counted(line=item.line, records=told)


def _is_answer(kind: object) -> bool:
    return kind is None or kind == "assistant"


def _is_other(told: Mapping[str, str]) -> bool:
    """Whether a line too long to be read is a tool's result, an image or the like."""
    return not _is_answer(told.get("type"))


def _fingerprint(line: Line) -> bytes:
    return fingerprint(line.uuid or str(line.moment), bytes(line.message).decode())


FORMAT = Format(
    name="claude_code",
    title="Claude Code transcripts",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="message.id; without it requestId, else the line's uuid or time and its message",
    where="~/.claude/projects/<folder>/<session>.jsonl and its subagents, or CLAUDE_CONFIG_DIR",
    source="fixtures of ccusage, tokscale and claude-code-log; anthropics/claude-code issues",
    recognise=recognise,
    read=read,
    restamps=True,
)
