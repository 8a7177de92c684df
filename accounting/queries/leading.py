"""The greatest groups of a filter, with the few sums that a short table tells of each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import itemgetter

from accounting.domain.ratios import ratio
from accounting.domain.values import quick
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.points import SUMS_OF, amounts_of
from accounting.queries.series import metric_amounts
from accounting.queries.spend import Member, UsageRow, members_of
from accounting.queries.totals import converted
from accounting.queries.wrapping import Row

TOP = 10
type _Rank = tuple[Decimal, Decimal, int, int, str]
#: A third of all sums, and of what adding them up takes.
_TOLD = (
    "requests",
    "cache_known_input_tokens",
    "cache_known_read_tokens",
    "unpriced_requests",
    "unpriced_tokens",
    "input_tokens",
    "known_input_tokens",
    "output_tokens",
    "known_output_tokens",
    "cost",
    "cost_base",
    "cost_base_unknown",
)


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was spent in one currency."""

    currency: str
    amount: Decimal


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Of Totals what a short table tells, in the same words."""

    requests: int
    input_tokens: int | None
    output_tokens: int | None
    cache_known_input_tokens: int
    cache_known_read_tokens: int
    costs: tuple[Spent, ...]
    cost_base: Decimal | None
    unpriced_requests: int
    unpriced_tokens: int

    @property
    def cache_hit_rate(self) -> Fraction | None:
        """Cache reads / input of the parts that report both; None where none does."""
        return ratio(self.cache_known_read_tokens, self.cache_known_input_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leading:
    """One of the greatest groups."""

    group: Member
    totals: Told


def leading(wanted: UsageFilter, limit: int = TOP) -> tuple[Leading, ...]:
    """The greatest groups of a filter by its metric, cost comparing in the organization's currency.

    One statement, one more for names of projects or of keys.
    """
    sums = (*_TOLD, *SUMS_OF[wanted.metric])
    rows = summed(wanted, (wanted.group,), sums).rows
    found = [(value, list(each)) for value, each in groupby(rows, key=itemgetter("key_0"))]
    names = members_of(wanted.organization_id, wanted.group, (value for value, _ in found))
    ranked = []
    for value, each in found:
        one = Leading(group=names[value], totals=_told(each))
        other = () if wanted.metric == "cost" else amounts_of(each, wanted.metric)
        ranked.append((_rank(one, wanted, other), one))
    return tuple(one for _, one in sorted(ranked, key=itemgetter(0))[:limit])


def greatest(
    rows: Iterable[UsageRow], wanted: UsageFilter, limit: int = TOP
) -> tuple[UsageRow, ...]:
    """The same of rows that are known already. No statement."""

    def rank(row: UsageRow) -> _Rank:
        return _rank(row, wanted, metric_amounts(row.totals, wanted.metric))

    return tuple(sorted(rows, key=rank)[:limit])


def _rank(
    row: UsageRow | Leading, wanted: UsageFilter, amounts: Sequence[tuple[str, object]]
) -> _Rank:
    """Where an amount is unknown or equal, more requests come first, so that unpriced rows are not lost.

    Before that, of cost, the largest amount in any currency: where no rate leads to the organization's,
    most books are charged in one other. amounts: of the filter's metric; those of cost are looked for
    by their currency.
    """
    totals = row.totals
    foreign = Decimal(0)
    if wanted.metric == "cost":
        own = (cost.amount for cost in totals.costs if cost.currency == wanted.currency)
        amount = totals.cost_base or next(own, Decimal(0))
        foreign = max((cost.amount for cost in totals.costs), default=foreign)
    else:
        addable = (Decimal(one) for _, one in amounts if isinstance(one, int | Decimal))
        amount = next(addable, Decimal(0))
    label = row.group.label if row.group else ""
    return -amount, -foreign, -totals.unpriced_tokens, -totals.requests, label


def _told(rows: Sequence[Row]) -> Told:
    def count(name: str) -> int:
        return sum(row[f"sum_{name}"] for row in rows)

    return Told(
        requests=count("requests"),
        input_tokens=count("input_tokens") if count("known_input_tokens") else None,
        output_tokens=count("output_tokens") if count("known_output_tokens") else None,
        cache_known_input_tokens=count("cache_known_input_tokens"),
        cache_known_read_tokens=count("cache_known_read_tokens"),
        costs=tuple(
            Spent(currency=row["currency"], amount=row["sum_cost"])
            for row in rows
            if row["currency"]
        ),
        cost_base=converted(rows, "cost_base"),
        unpriced_requests=count("unpriced_requests"),
        unpriced_tokens=count("unpriced_tokens"),
    )
