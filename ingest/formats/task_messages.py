"""The ui_messages.json of Cline and the agents that descend from it: what their formats share.

An entry says what the agent showed; one that says api_req_started holds a request as JSON in a
string, written again in place until the request has ended.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats.base import Item, Options, Outcome, RejectedError, Sample, Skipped, State
from ingest.formats.calls import counted
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, outcomes, text
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of

_COMPACTIONS = {"condense_context", "compaction"}
_REQUESTS = {"api_req_started", "api_req_finished"}


class Model(msgspec.Struct):
    """Which model a request was made with; old versions do not say."""

    provider: str | None = msgspec.field(default=None, name="providerId")
    model: str | None = msgspec.field(default=None, name="modelId")
    mode: str | None = None


class Compaction(msgspec.Struct):
    """What shortening the context cost; its tokens are not told."""

    cost: Exact = NOTHING


class Entry(msgspec.Struct):
    """One entry of the task."""

    ts: Moment = None
    say: str | None = None
    text: str | None = None
    model: Model | None = msgspec.field(default=None, name="modelInfo")
    compaction: Compaction | None = msgspec.field(default=None, name="contextCondense")


class Request(msgspec.Struct, rename="camel"):
    """The JSON inside an entry's text."""

    tokens_in: Count = None
    tokens_out: Count = None
    cache_writes: Count = None
    cache_reads: Count = None
    cost: Exact = NOTHING
    cancel_reason: str | None = None
    api_protocol: str | None = None


class Task(State):
    """When the task's first entry and its last request were made, as written.

    These times tell the requests apart, wherever the file lies.
    """

    first: str = ""
    request: str = ""


_ENTRIES = Decoder(Entry, {"ts": 1, "text": 1})
_REQUEST = Decoder(Request, {"tokensIn": 1, "tokensOut": 1, "cacheReads": 1, "cost": 1})


def entries_seen(sample: Sample) -> bool:
    """Whether a sample has entries of such a file."""
    return any(
        {"ts", "type"} <= each.keys() and {"say", "ask"} & each.keys() for each in sample.objects
    ) or (sample.is_array and not sample.objects and '"api_req_started"' in sample.text)


def is_roo(sample: Sample) -> bool:
    """Whether the entries are Roo's: it names the protocol, and calls compaction condensing."""
    return '\\"apiProtocol\\"' in sample.text or '"condense_context"' in sample.text


def read_entries(
    items: Iterable[Item],
    options: Options,
    state: State,
    *,
    source: str,
    counts_of: Callable[[Request], TokenCounts],
) -> Iterator[Outcome]:
    """One outcome for each entry. counts_of: what the source's four counts mean."""
    if not isinstance(state, Task):
        raise TypeError(f"{state!r} is no state of {source}")
    return outcomes(items, partial(_entry, options, state, source, counts_of))


def _entry(
    options: Options,
    task: Task,
    source: str,
    counts_of: Callable[[Request], TokenCounts],
    item: Item,
) -> Outcome:
    entry = _ENTRIES.decoded(item)
    made_at = "" if entry.ts is None else str(entry.ts)
    task.first = task.first or made_at
    if entry.say in _COMPACTIONS:
        return _compaction(options, task, source, entry, item)
    if entry.say not in _REQUESTS or not entry.text:
        return Skipped(line=item.line)
    # Old versions tell the usage of a request in an entry of its own, after it.
    if entry.say == "api_req_started" or not task.request:
        task.request = made_at
    request = _REQUEST.of(entry.text.encode())
    reason = text(request.cancel_reason, "cancelReason", 80)
    failed = reason not in {"", "user_cancelled"}
    has_usage = request.tokens_in is not None or request.tokens_out is not None
    if not has_usage and not failed:
        return Skipped(line=item.line)
    counts = counts_of(request) if has_usage else NOTHING_REPORTED
    model = entry.model or Model()
    name = text(model.model, "modelInfo.modelId")
    amount = cost(request.cost, "cost")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=source,
        provider=provider_id(text(model.provider, "modelInfo.providerId") or options.provider),
        request_model=name or options.model,
        response_model=name if has_usage else "",
        status="error" if failed else "cancelled" if reason else "ok",
        error_type=reason if failed else "",
        error_origin="upstream" if failed else "",
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=fingerprint(task.first, task.request)),
        use=use,
        started_at=_made_at(task.request),
        session_id=_task_id(item, task),
        agent=text(model.mode, "modelInfo.mode"),
    )


def _compaction(options: Options, task: Task, source: str, entry: Entry, item: Item) -> Outcome:
    """A cost without tokens: a part of its own, so that it is no request."""
    told = (entry.text or "").strip()
    written = entry.compaction.cost if entry.compaction else NOTHING
    if not written and told.startswith("{"):
        written = _REQUEST.of(told.encode()).cost
    amount = cost(written, "cost")
    if amount is None:
        return Skipped(line=item.line)
    use = Use(
        source=source,
        usage_state="missing",
        provider=provider_id(options.provider),
        request_model=options.model,
        operation="compaction",
        reported_cost=amount,
        reported_currency="USD",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=fingerprint(task.first, str(entry.ts)), part=1),
        use=use,
        started_at=_made_at(entry.ts),
        session_id=_task_id(item, task),
    )


def _made_at(ts: Moment) -> datetime:
    found = moment(ts, "ts")
    if found is None:
        raise RejectedError("missing_field", "a request without its time", field="ts")
    return found


def _task_id(item: Item, task: Task) -> str:
    """The folder that the agent keeps the task in, else when it began."""
    folder = PurePosixPath(item.path).parent.name
    return text(folder, "path") or text(task.first, "ts")
