"""A row of Cursor's usage export: its columns, and how it writes dates, counts and amounts."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from accounting.domain.tokens import TokenCounts, from_disjoint
from ingest.formats.base import Item, RejectedError
from ingest.formats.fields import Exact, cost, count, required_count
from ingest.formats.moments import moment

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


def row_of(item: Item) -> Mapping[str, str]:
    """The row by its columns' names."""
    if not isinstance(item.body, Mapping):
        raise RejectedError("not_csv", "JSON, expected a CSV row")
    return item.body


def date_of(row: Mapping[str, str]) -> tuple[datetime, str]:
    """The moment and how exact it is: old exports give only the day, which is UTC's."""
    written = row.get("Date", "").strip()
    is_day = bool(_DAY.fullmatch(written))
    found = moment(f"{written}T00:00:00Z" if is_day else written, "Date")
    if found is None:
        raise RejectedError("missing_field", "a row without its date", field="Date")
    return found, "date" if is_day else "exact"


def buckets_of(row: Mapping[str, str]) -> tuple[int, int, int, int]:
    """The four columns of tokens as they stand: written, uncached, read, output."""
    return _count(row, WRITTEN), _count(row, UNCACHED), _count(row, READ), _count(row, OUTPUT)


def counts_of(
    buckets: tuple[int, int, int, int], row: Mapping[str, str]
) -> tuple[TokenCounts, tuple[str, ...]]:
    """Four columns apart from each other; their total says whether the first is one of them.

    Despite its name the first column holds the cache writes alone.
    """
    written, uncached, read, output = buckets
    total = count(row.get(TOTAL) or None, TOTAL)
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


def cost_of(row: Mapping[str, str]) -> Decimal | None:
    """The amount in US dollars; None where the plan includes the request."""
    amount = row.get("Cost", "").strip()
    if amount.lower() in _NO_AMOUNT:
        return None
    return cost(Exact(amount.removeprefix("$").encode()), "Cost")


def _count(row: Mapping[str, str], name: str) -> int:
    return required_count(row.get(name), name)
