"""Why the cost of a range is not that of the range it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from accounting.domain.bridge import Bridge, Cell, bridge
from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import Summed, summed, whole_of
from accounting.queries.totals import Totals
from accounting.queries.wrapping import Row

#: What a change is explained by, in the order in which rows are summed.
CUT = ("provider", "model", "status")
#: Kind of tokens -> the part of the cost that it is charged in.
_COSTS = {
    "uncached": "input",
    "cache_read": "cache_read",
    "cache_write": "cache_write",
    "output": "output",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One currency's difference as parts that sum to it, and what no cost says of either range.

    corrections: what of each cost was booked for closed months; it counts as a change of price.
    """

    currency: str
    bridge: Bridge
    corrections: tuple[Decimal, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeAnswer:
    """The compared range and the asked one, and for each currency why they differ.

    Unpriced requests and tokens stand in the totals: they are in no cost, and so in no part.
    """

    before: Totals
    after: Totals
    changes: tuple[Change, ...]
    is_slow: bool


def change_explained(wanted: UsageFilter) -> ChangeAnswer | None:
    """Volume, mix, length, cache and price between two ranges; None where nothing is compared.

    By provider, model and status, each currency apart. Two statements.
    """
    compared = comparison(wanted)
    if compared is None:
        return None
    return change_between(summed_by_model(compared), summed_by_model(wanted))


def summed_by_model(wanted: UsageFilter) -> Summed:
    """All sums of a filter by what a change is explained by: provider, model, status. One statement."""
    return summed(replace(wanted, bucket="", group="", sub=""), CUT)


def change_between(before: Summed, after: Summed) -> ChangeAnswer:
    """The same of ranges that were summed by model. No statement."""
    old, new = before.rows, after.rows
    totals = whole_of(old), whole_of(new)
    currencies = sorted({row["currency"] for row in (*old, *new)} - {""})
    return ChangeAnswer(
        before=totals[0],
        after=totals[1],
        changes=tuple(
            Change(
                currency=currency,
                bridge=bridge(_cells(old, currency), _cells(new, currency)),
                corrections=(_corrections(totals[0], currency), _corrections(totals[1], currency)),
            )
            for currency in currencies
        ),
        is_slow=after.is_slow,
    )


def _cells(rows: Sequence[Row], currency: str) -> dict[tuple[str, ...], Cell]:
    return {
        tuple(row[f"key_{n}"] for n in range(len(CUT))): _cell(row)
        for row in rows
        if row["currency"] == currency
    }


def _cell(row: Row) -> Cell:
    read, written = (int(row[f"sum_{name}_input_tokens"]) for name in ("cache_read", "cache_write"))
    # A source that tells the cache alone would make this negative.
    uncached = max(0, int(row["sum_input_tokens"]) - read - written)
    return Cell(
        requests=int(row["sum_parts"]),
        tokens={
            "uncached": uncached,
            "cache_read": read,
            "cache_write": written,
            "output": int(row["sum_output_tokens"]),
        },
        costs={kind: row[f"sum_cost_{part}"] for kind, part in _COSTS.items()},
        other=row["sum_cost_other"],
    )


def _corrections(totals: Totals, currency: str) -> Decimal:
    return next((c.corrections for c in totals.costs if c.currency == currency), Decimal(0))
