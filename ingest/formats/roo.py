"""Roo Code's and Kilo Code's tasks: Cline's entries, with counts that follow the API's protocol."""

from collections.abc import Iterable, Iterator

from accounting.domain.tokens import TokenCounts, from_disjoint, from_inclusive
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import count
from ingest.formats.task_messages import Request, Task, entries_seen, is_roo, read_entries


def recognise(sample: Sample) -> str:
    """Entries with ts and say that name the protocol or speak of condensing."""
    fits = entries_seen(sample) and is_roo(sample)
    return "has task entries with apiProtocol or condense_context" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each entry."""
    return read_entries(items, options, state, source=FORMAT.name, counts_of=_counts)


def _counts(request: Request) -> TokenCounts:
    """The input includes cached tokens under OpenAI's protocol and leaves them out under Anthropic's.

    Old versions name no protocol: where no cache was used both mean the same, else nobody guesses.
    """
    given = count(request.tokens_in, "tokensIn")
    read = count(request.cache_reads, "cacheReads")
    write = count(request.cache_writes, "cacheWrites")
    output = count(request.tokens_out, "tokensOut")
    cached = (read or 0) + (write or 0)
    if request.api_protocol == "openai" or (request.api_protocol is None and not cached):
        return from_inclusive(
            input_tokens=given,
            cache_read_input_tokens=read,
            cache_write_input_tokens=write,
            output_tokens=output,
        )
    if request.api_protocol == "anthropic" or (
        request.api_protocol is None and cached > (given or 0)
    ):
        return from_disjoint(
            uncached=given, cache_read=read, cache_write=write, output_tokens=output
        )
    reason = "cached tokens without a known apiProtocol: they may be part of tokensIn or not"
    raise RejectedError("unknown_convention", reason, field="apiProtocol")


FORMAT = Format(
    name="roo",
    title="Roo Code and Kilo Code tasks",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="when the task's first entry and when the request was made, in milliseconds",
    where="<editor's globalStorage>/rooveterinaryinc.roo-cline/tasks/<task>/ui_messages.json",
    source="RooCodeInc/Roo-Code: Task and getApiMetrics",
    recognise=recognise,
    read=read,
    new_state=Task,
    extensions=(".json",),
)
