"""`codex exec --json`: the events of one run on its standard output, with usage by turn."""

from collections.abc import Iterable, Iterator
from functools import partial
from hashlib import blake2b

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
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
    Time,
    Unit,
)
from ingest.formats.calls import counted
from ingest.formats.codex_threads import Usage
from ingest.formats.fields import Decoder, count, json_of, outcomes, text
from ingest.formats.openai_usage import state_of


class Event(msgspec.Struct):
    """One event; only a turn's end carries usage."""

    type: str | None = None
    thread_id: str | None = None
    usage: Usage | None = None


class Run(State):
    """The thread, and a running hash of all events: they carry no ids and no times."""

    thread_id: str = ""
    chain: bytes = b""


_EVENTS = Decoder(Event, {"input_tokens": 1, "output_tokens": 1})
_ENDS = {"turn.completed", "turn.failed"}


def recognise(sample: Sample) -> str:
    """A thread's start, or a turn's end with usage."""
    for each in sample.objects:
        if each.get("type") == "thread.started" and "thread_id" in each:
            return "has thread.started events"
        if each.get("type") == "turn.completed" and isinstance(each.get("usage"), dict):
            return "has turn.completed events with usage"
    return ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each event; the state carries the thread and the running hash."""
    if not isinstance(state, Run):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_event, options, state))


def _event(options: Options, run: Run, item: Item) -> Outcome:
    event = _EVENTS.decoded(item)
    run.chain = blake2b(run.chain + json_of(item).strip(), digest_size=16).digest()
    run.thread_id = text(event.thread_id, "thread_id") or run.thread_id
    if event.type not in _ENDS:
        return Skipped(line=item.line)
    failed = event.type == "turn.failed"
    counts = _counts(event.usage)
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider or "openai"),
        request_model=options.model,
        status="error" if failed else "ok",
        error_type="turn_failed" if failed else "",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=run.chain),
        use=use,
        started_at=None,
        session_id=run.thread_id,
    )


def _counts(usage: Usage | None) -> TokenCounts:
    """A turn's counts; where cached tokens are itemised, writes left out are none."""
    if usage is None:
        return NOTHING_REPORTED
    read = count(usage.cached_input_tokens, "usage.cached_input_tokens")
    return from_inclusive(
        input_tokens=count(usage.input_tokens, "usage.input_tokens"),
        cache_read_input_tokens=read,
        cache_write_input_tokens=0 if usage.written is None and read is not None else usage.written,
        output_tokens=count(usage.output_tokens, "usage.output_tokens"),
        reasoning_output_tokens=count(
            usage.reasoning_output_tokens, "usage.reasoning_output_tokens"
        ),
    )


FORMAT = Format(
    name="codex_exec",
    title="codex exec --json output",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="a running hash of the run's events up to the turn's end",
    where="the standard output of `codex exec --json`; --set model= and started_at= say the rest;"
    " the same turns stand request by request in the rollouts: import one of them",
    source="openai/codex: exec events",
    recognise=recognise,
    read=read,
    new_state=Run,
    restamps=True,
    time=Time.ASSUMED,
)
