"""Cline's tasks: the entries of ui_messages.json, with cached tokens beside the input."""

from collections.abc import Iterable, Iterator

from accounting.domain.tokens import TokenCounts, from_disjoint
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import count
from ingest.formats.task_messages import Request, Task, entries_seen, is_roo, read_entries


def recognise(sample: Sample) -> str:
    """Entries with ts and say, and nothing that only Roo writes."""
    return "has task entries with ts and say" if entries_seen(sample) and not is_roo(sample) else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each entry."""
    return read_entries(items, options, state, source=FORMAT.name, counts_of=_counts)


def _counts(request: Request) -> TokenCounts:
    return from_disjoint(
        uncached=count(request.tokens_in, "tokensIn"),
        cache_read=count(request.cache_reads, "cacheReads"),
        cache_write=count(request.cache_writes, "cacheWrites"),
        output_tokens=count(request.tokens_out, "tokensOut"),
    )


FORMAT = Format(
    name="cline",
    title="Cline tasks",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="when the task's first entry and when the request was made, in milliseconds",
    where="<editor's globalStorage>/saoudrizwan.claude-dev/tasks/<task>/ui_messages.json",
    source="cline/cline: message-translator and its predecessors",
    recognise=recognise,
    read=read,
    new_state=Task,
    extensions=(".json",),
)
