"""Codex CLI's rollouts: one JSON line per event, with cumulative token totals."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import Identity, Place, UsageRecord, Use
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
from ingest.formats.codex_lines import Line, Meta, Response, TokenCount, Turn
from ingest.formats.codex_threads import NONE, Thread, Tokens
from ingest.formats.fields import Decoder, outcomes, text
from ingest.formats.long_lines import spared
from ingest.formats.moments import moment
from ingest.formats.openai_usage import maker_of

#: The lines that only rollouts have.
_TYPES = {
    "session_meta",
    "turn_context",
    "event_msg",
    "response_item",
    "compacted",
    "token_usage_record",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one response used."""

    identity: Identity
    tokens: Tokens
    cache_write: int | None
    model: str
    session_id: str
    turn_id: str


_LINES = Decoder(Line, {"timestamp": 3, "payload": 1})
_METAS = Decoder(Meta)
_TURNS = Decoder(Turn)
_COUNTS = Decoder(TokenCount, {"input_tokens": 2, "output_tokens": 2, "total_token_usage": 1})
_RESPONSES = Decoder(Response, {"input_tokens": 3, "output_tokens": 3, "response_id": 1})


def recognise(sample: Sample) -> str:
    """Lines of a rollout's types with a payload."""
    for each in sample.objects:
        if str(each.get("type")) in _TYPES and isinstance(each.get("payload"), dict):
            return f"has rollout lines of type {each['type']}"
    fits = {"timestamp", "type", "payload"} <= sample.keys and '"session_meta"' in sample.text
    return "begins like a rollout" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each line; the state carries the thread's totals and its running hash."""
    if not isinstance(state, Thread):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    lines = spared(items, {"type", "payload.type"}, _is_other)
    return outcomes(lines, partial(_line, options, state))


def _line(options: Options, thread: Thread, item: Item) -> Outcome:
    line = _LINES.decoded(item)
    body = bytes(line.payload)
    match line.type:
        case "session_meta" if body.startswith(b"{"):
            _learn(thread, _METAS.of(body))
        case "turn_context" if body.startswith(b"{"):
            turn = _TURNS.of(body)
            thread.model = text(turn.model, "model") or thread.model
            thread.turn_id = text(turn.turn_id, "turn_id")
            thread.folder = text(turn.cwd, "cwd", 1000) or thread.folder
        case "event_msg" if b'"token_count"' in body:
            return _total(options, thread, line, item)
        case "token_usage_record":
            return _response(options, thread, line, item)
    return Skipped(line=item.line)


def _is_other(told: Mapping[str, str]) -> bool:
    """Whether a line too long to be read holds a tool's output or a message."""
    if told.get("type") == "event_msg":
        return told.get("payload.type", "token_count") != "token_count"
    return told.get("type") in {"response_item", "compacted"}


def _learn(thread: Thread, meta: Meta) -> None:
    parent_id = text(meta.forked_from_id or meta.parent_thread_id, "forked_from_id")
    if thread.follow(text(meta.id, "id"), parent_id):
        thread.provider = provider_id(text(meta.model_provider, "model_provider"))
        thread.folder = text(meta.cwd, "cwd", 1000)
        thread.is_subagent = bool(meta.parent_thread_id)


def _total(options: Options, thread: Thread, line: Line, item: Item) -> Outcome:
    event = _COUNTS.of(bytes(line.payload))
    if event.type != "token_count" or event.info is None:
        return Skipped(line=item.line)
    info = event.info
    if info.total is None:
        reason = "a token count without total_token_usage"
        raise RejectedError("missing_field", reason, field="payload.info.total_token_usage")
    if not thread.root:  # a rollout without session_meta is known by its first row's time
        thread.root = str(line.moment)
    moved = thread.moved(info.total, info.last)
    if moved is None:
        return Skipped(line=item.line, code="repeated_total")
    used, cache_write = moved
    recorded, thread.recorded = thread.recorded, None
    if recorded is not None and recorded in {used, info.last.tokens if info.last else used}:
        return Skipped(line=item.line, code="counted_by_its_record")
    thread.counted = used
    spent = Spent(
        identity=Identity(fingerprint=thread.key),
        tokens=used,
        cache_write=cache_write,
        model=text(info.model, "payload.info.model") or thread.model,
        session_id=thread.thread_id,
        turn_id=thread.turn_id,
    )
    return _counted(options, thread, line, item, spent)


def _response(options: Options, thread: Thread, line: Line, item: Item) -> Outcome:
    response = _RESPONSES.of(bytes(line.payload))
    used = NONE if response.usage is None else response.usage.tokens
    if response.usage is None or used == NONE:
        return Skipped(line=item.line)
    response_id = text(response.response_id, "response_id")
    if not response_id:
        raise RejectedError("missing_field", "a response without its id", field="response_id")
    counted, thread.counted = thread.counted, None
    if used == counted:
        return Skipped(line=item.line, code="counted_by_its_total")
    thread.recorded = used
    spent = Spent(
        identity=Identity(response_id=response_id),
        tokens=used,
        cache_write=response.usage.written,
        model=thread.model,
        session_id=text(response.thread_id, "thread_id") or thread.thread_id,
        turn_id=text(response.turn_id, "turn_id") or thread.turn_id,
    )
    return _counted(options, thread, line, item, spent)


def _counted(options: Options, thread: Thread, line: Line, item: Item, spent: Spent) -> Counted:
    given_at = moment(line.moment, "timestamp")
    counts, is_clamped = _counts(thread, spent)
    use = Use(
        counts=counts,
        source=FORMAT.name,
        provider=thread.provider or provider_id(options.provider) or maker_of(spent.model),
        request_model=spent.model or options.model,
        response_model=spent.model,
        # A fork's copy may stand under another model: the thread's own telling is the later word.
        source_updated_at=None if thread.is_fork else given_at,
    )
    place = Place(
        started_at=given_at or options.assumed_time,
        is_sidechain=thread.is_subagent,
        session_id=spent.session_id,
        turn_id=spent.turn_id,
        user_id=options.user_id,
        working_folder=thread.folder,
        time_quality="exact" if given_at else "assumed",
        line=item.line,
    )
    record = UsageRecord(identity=spent.identity, use=use, place=place, restamps=True)
    warnings = ("more_cached_than_input",) if is_clamped else ()
    return Counted(line=item.line, records=(record,), warnings=warnings)


def _counts(thread: Thread, spent: Spent) -> tuple[TokenCounts, bool]:
    """The counts, and whether subsets had to be cut down to their totals.

    OpenAI's own service names cache writes wherever it makes any; of others nothing is known.
    """
    whole, cached, output, reasoning = spent.tokens
    write = 0 if spent.cache_write is None and thread.provider == "openai" else spent.cache_write
    read = min(cached, whole)
    kept = None if write is None else min(write, whole - read)
    counts = from_inclusive(
        input_tokens=whole,
        cache_read_input_tokens=read,
        cache_write_input_tokens=kept,
        output_tokens=output,
        reasoning_output_tokens=min(reasoning, output),
    )
    return counts, (read, kept) != (cached, write) or reasoning > output


FORMAT = Format(
    name="codex",
    title="Codex CLI rollouts",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="the root thread's id and a running hash of all totals up to the row, so that copies in"
    " forks and archives meet; of a token_usage_record its response_id",
    where="~/.codex/sessions/<year>/<month>/<day>/rollout-*.jsonl and ~/.codex/archived_sessions",
    source="openai/codex; fixtures of CodexBar and ccusage",
    recognise=recognise,
    read=read,
    new_state=Thread,
    restamps=True,
    extensions=(".jsonl",),
)
