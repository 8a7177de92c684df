"""`codex exec --json`: the events of one run on its standard output, with usage by turn."""

from accounting.domain.naming import provider_id
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
    Time,
    Unit,
)
from ingest.formats.calls import counted
from ingest.formats.codex_turns import Run, counts_of
from ingest.formats.openai_usage import state_of
from ingest.formats.states import read_in_order

_ENDS = {"turn.completed", "turn.failed"}


def recognise(sample: Sample) -> str:
    """A thread's start, or a turn's end with usage."""
    for each in sample.objects:
        if each.get("type") == "thread.started" and "thread_id" in each:
            return "has thread.started events"
        if each.get("type") == "turn.completed" and isinstance(each.get("usage"), dict):
            return "has turn.completed events with usage"
    return ""


def _event(options: Options, run: Run, item: Item) -> Outcome:
    event = run.follow(item)
    if event.type not in _ENDS:
        return Skipped(line=item.line)
    failed = event.type == "turn.failed"
    counts = counts_of(event.usage)
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
    read=read_in_order(Run, _event),
    new_state=Run,
    restamps=True,
    time=Time.ASSUMED,
)
