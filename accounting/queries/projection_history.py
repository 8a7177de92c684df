"""The days that a projection rests on: what each model used of each kind, and what it cost."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache

from accounting.domain.money import EXACT
from accounting.domain.values import quick
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.totals import PARTS, exact_sum
from accounting.queries.wrapping import Row

#: Columns of the rollups that a projection reads.
_SUMS = (
    "cost",
    *(f"cost_{part}" for part in PARTS),
    "credits",
    "corrections",
    "unpriced_tokens",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDay:
    """One model's usage of a local day in one currency; '' is what has no price.

    counts: tokens by cost part, each token in one part; 'other' has none. costs: by cost part.
    is_corrected: some of the cost belongs to events of closed months, so it says nothing of a price.
    """

    provider: str
    model: str
    currency: str
    day: date
    cost: Decimal
    credits: Decimal
    counts: Mapping[str, int]
    costs: Mapping[str, Decimal]
    is_corrected: bool
    is_unpriced: bool


def model_days(wanted: UsageFilter) -> tuple[ModelDay, ...]:
    """Each day of the filter's span by model and currency, in order of days. One statement."""
    rows = summed(replace(wanted, bucket="day"), ("provider", "model"), _SUMS).rows
    return tuple(_model_day(row) for row in rows)


def daily(days: Iterable[ModelDay], currency: str | None, amount: str) -> Mapping[date, Decimal]:
    """What each day came to. amount: 'cost' or 'credits'; currency: None for all of them."""
    found: dict[date, Decimal] = {}
    for one in days:
        if currency is None or one.currency == currency:
            value: Decimal = getattr(one, amount)
            found[one.day] = EXACT.add(found.get(one.day, Decimal(0)), value)
    return found


def counts_of(placed: Iterable[tuple[int, ModelDay]], part: str, length: int) -> list[int]:
    """One model's count of a part on so many days; days without usage are 0.

    placed: its days, each behind its place among those.
    """
    found = [0] * length
    for place, one in placed:
        found[place] += one.counts.get(part, 0)
    return found


def picos_of(placed: Iterable[tuple[int, ModelDay]], part: str, length: int) -> list[int]:
    """The same of what a part cost, in picos: for what is charged and not counted in tokens.

    Costs have no more than twelve decimals. What corrects closed months will not come again.
    """
    found = [0] * length
    for place, one in placed:
        if not one.is_corrected and (cost := one.costs[part]):
            found[place] += int(cost.scaleb(12, EXACT))
    return found


def placed(days: Iterable[ModelDay], first: date, length: int) -> list[tuple[int, ModelDay]]:
    """Those of the days that are among so many from the first, each behind its place there."""
    start = first.toordinal()
    pairs = ((one.day.toordinal() - start, one) for one in days)
    return [(place, one) for place, one in pairs if 0 <= place < length]


def spent_between(amounts: Mapping[date, Decimal], start: date, end: date) -> Decimal:
    """The sum of the days from start until before end."""
    return exact_sum(amount for day, amount in amounts.items() if start <= day < end)


@lru_cache(maxsize=1_000)
def days_between(start: date, end: date) -> Sequence[date]:
    """Each day from start until before end."""
    return tuple(start + timedelta(days=n) for n in range((end - start).days))


def _model_day(row: Row) -> ModelDay:
    read, write = row["sum_cache_read_input_tokens"], row["sum_cache_write_input_tokens"]
    return ModelDay(
        day=row["key_0"],
        provider=row["key_1"],
        model=row["key_2"],
        currency=row["currency"],
        cost=row["sum_cost"],
        credits=row["sum_credits"],
        counts={
            "input": max(0, int(row["sum_input_tokens"] - read - write)),
            "cache_read": int(read),
            "cache_write": int(write),
            "output": int(row["sum_output_tokens"]),
        },
        costs={part: row[f"sum_cost_{part}"] for part in PARTS},
        is_corrected=bool(row["sum_corrections"]),
        is_unpriced=not row["currency"] and row["sum_unpriced_tokens"] > 0,
    )
