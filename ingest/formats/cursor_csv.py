"""Cursor's usage export from the dashboard: a CSV row per request, its columns found by name."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_disjoint
from accounting.domain.usage import Identity, Use
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
from ingest.formats.calls import counted
from ingest.formats.fields import Exact, cost, count, outcomes, required_count, text
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen, numbered
from ingest.formats.openai_usage import state_of

WRITTEN = "Input (w/ Cache Write)"
UNCACHED = "Input (w/o Cache Write)"
READ = "Cache Read"
OUTPUT = "Output Tokens"
TOTAL = "Total Tokens"
#: Every column that is read, for the catalogue of formats.
COLUMNS = (
    *("Date", "Cloud Agent ID", "Automation ID", "User", "Kind", "Model", "Max Mode"),
    *(WRITTEN, UNCACHED, READ, OUTPUT, TOTAL, "Cost"),
)

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
#: What the cost column holds instead of an amount.
_NO_AMOUNT = {"", "-", "nan", "included", "free"}
#: Kinds of requests that did not end well, and kinds that Cursor charges nobody for.
_STATUSES = {"errored, no charge": "error", "aborted, not charged": "cancelled"}
_FREE = {*_STATUSES, "free"}


def recognise(sample: Sample) -> str:
    """The names of its token columns."""
    fits = {WRITTEN, UNCACHED, READ} <= set(sample.header)
    return f"has the columns {WRITTEN} and {UNCACHED}" if fits else ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each row; the state numbers equal rows of one file."""
    if not isinstance(state, Seen):
        raise TypeError(f"{state!r} is no state of {FORMAT.name}")
    return outcomes(items, partial(_row, options, state))


def _row(options: Options, seen: Seen, item: Item) -> Outcome:
    if not isinstance(item.body, Mapping):
        raise RejectedError("not_csv", "JSON, expected a CSV row")
    row = item.body
    started_at, quality = _date(row.get("Date", "").strip())
    model, kind = text(row.get("Model"), "Model"), text(row.get("Kind"), "Kind")
    columns = (WRITTEN, UNCACHED, READ, OUTPUT)
    buckets = tuple(required_count(row.get(name), name) for name in columns)
    counts, doubts = _counts(buckets, count(row.get(TOTAL) or None, TOTAL))
    ending = kind.lower()
    amount = _cost(row.get("Cost", ""))
    agent_id, automation_id = row.get("Cloud Agent ID"), row.get("Automation ID")
    tags = {"max_mode": row.get("Max Mode", ""), "automation_id": automation_id or ""}
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider=provider_id(options.provider or "cursor"),
        request_model=model,
        response_model=model,
        status=_STATUSES.get(ending, "ok"),
        billable=ending not in _FREE,
        error_type="errored" if _STATUSES.get(ending) == "error" else "",
        reported_cost=amount,
        reported_currency="" if amount is None else "USD",
    )
    return counted(
        item,
        options,
        identity=Identity(fingerprint=numbered(seen, str(started_at), model, kind, buckets)),
        use=use,
        started_at=started_at,
        time_quality=quality,
        warnings=doubts,
        session_id=text(agent_id, "Cloud Agent ID"),
        user_id=text(row.get("User"), "User"),
        tags=tuple(
            (name, text(word, name)) for name, word in tags.items() if word not in {"", "No"}
        ),
    )


def _date(written: str) -> tuple[datetime, str]:
    """The moment and how exact it is: old exports give only the day, which is UTC's."""
    is_day = bool(_DAY.fullmatch(written))
    found = moment(f"{written}T00:00:00Z" if is_day else written, "Date")
    if found is None:
        raise RejectedError("missing_field", "a row without its date", field="Date")
    return found, "date" if is_day else "exact"


def _counts(buckets: tuple[int, ...], total: int | None) -> tuple[TokenCounts, tuple[str, ...]]:
    """Four columns apart from each other; their total says whether the first is one of them.

    Despite its name the first column holds the cache writes alone.
    """
    written, uncached, read, output = buckets
    doubts: tuple[str, ...] = ()
    cache_write: int | None = written
    if total is not None and total != sum(buckets):
        doubts = ("inconsistent_total",)
        if total == uncached + read + output:
            cache_write = None
    counts = from_disjoint(
        uncached=uncached, cache_read=read, cache_write=cache_write, output_tokens=output
    )
    return counts, doubts


def _cost(written: str) -> Decimal | None:
    amount = written.strip()
    if amount.lower() in _NO_AMOUNT:
        return None
    return cost(Exact(amount.removeprefix("$").encode()), "Cost")


FORMAT = Format(
    name="cursor_csv",
    title="Cursor usage export",
    unit=Unit.CSV,
    scope=Scope.FILE,
    convention=Convention.DISJOINT,
    key="date, model, kind and the four counts, and which of its equals in the file a row is",
    where="Cursor's dashboard: Usage, Export CSV",
    source="rows in the tests of tokscale and TokenTracker",
    recognise=recognise,
    read=read,
    new_state=Seen,
    extensions=(".csv",),
)
