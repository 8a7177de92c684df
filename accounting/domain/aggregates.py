"""What a report or a counter says of many requests together: kept beside events, never added to them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

from accounting.domain.money import plain

#: The counts of an aggregate; each is None while its source does not tell it.
AGGREGATE_COUNTS = (
    "requests",
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "web_search_requests",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """One row of a report: what was used or charged in a period, by its dimensions.

    Token totals are inclusive, as an event's are; uncached_input_tokens stands for sources that
    count nothing else. Two tellings with one fingerprint are the same row: a later end of the
    period replaces an earlier one. purpose: usage or benchmark. dimensions: what else tells rows of
    one report apart. notes: what was measured beside the counts.
    """

    source: str
    fingerprint: bytes
    period_start: datetime
    period_end: datetime
    purpose: str = "usage"
    provider: str = ""
    model: str = ""
    dimensions: tuple[tuple[str, str], ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    requests: int | None = None
    input_tokens: int | None = None
    uncached_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    web_search_requests: int | None = None
    reported_cost: Decimal | None = None
    reported_currency: str = ""
    credits: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateTotals:
    """The sums of aggregates by count and by currency; what none of them tells is missing."""

    counts: Mapping[str, int] = field(default_factory=dict)
    cost: Mapping[str, Decimal] = field(default_factory=dict)
    credits: Decimal | None = None

    def __add__(self, other: Self) -> "AggregateTotals":
        counts, cost, credit = dict(self.counts), dict(self.cost), self.credits
        for name, count in other.counts.items():
            counts[name] = counts.get(name, 0) + count
        for currency, amount in other.cost.items():
            cost[currency] = cost.get(currency, Decimal(0)) + amount
        if other.credits is not None:
            credit = other.credits + (credit or 0)
        return AggregateTotals(counts=counts, cost=cost, credits=credit)

    def as_json(self) -> dict[str, Any]:
        """The sums as JSON values: amounts are plain decimal texts, what is unknown is null."""
        return {
            **{name: self.counts.get(name) for name in AGGREGATE_COUNTS},
            "reported_cost": {
                currency: plain(each) for currency, each in sorted(self.cost.items())
            },
            "credits": None if self.credits is None else plain(self.credits),
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The sums that as_json wrote."""
        told = values.get("credits")
        return cls(
            counts={n: values[n] for n in AGGREGATE_COUNTS if values.get(n) is not None},
            cost={code: Decimal(text) for code, text in values.get("reported_cost", {}).items()},
            credits=None if told is None else Decimal(told),
        )


def difference(new: Aggregate, old: Aggregate | None) -> AggregateTotals:
    """What a row adds to the sums. old: what stood in its place; the same row again adds 0.

    What the old row told and the new one does not, or in another currency, is taken away.
    """
    told = _totals_of(new)
    if old is None:
        return told
    before = _totals_of(old)
    return told + AggregateTotals(
        counts={name: -count for name, count in before.counts.items()},
        cost={currency: -amount for currency, amount in before.cost.items()},
        credits=None if before.credits is None else -before.credits,
    )


def _totals_of(row: Aggregate) -> AggregateTotals:
    told = {name: getattr(row, name) for name in AGGREGATE_COUNTS}
    return AggregateTotals(
        counts={name: count for name, count in told.items() if count is not None},
        cost={} if row.reported_cost is None else {row.reported_currency: row.reported_cost},
        credits=row.credits,
    )
