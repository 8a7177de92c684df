"""Amounts over time by group, with zeros where nothing was used: what stacked charts draw."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import cast

from accounting.domain.money import EXACT
from accounting.domain.periods import day_start
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.points import SUMS_OF, Point, points_of
from accounting.queries.spend import Member, RowKey, UsageRow, UsageTable, usage_table
from accounting.queries.totals import Totals, exact_sum

#: A chart shows so many groups and the sum of the others.
SHOWN_GROUPS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One group's amounts, one for each bucket.

    group: None is the sum of all groups that have no series of their own. sub: the member of the
    second dimension, None without one. currency: '' unless the metric is cost; amounts of different
    currencies never share an axis.
    """

    group: Member | None
    currency: str
    amounts: tuple[Decimal, ...]
    sub: Member | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Series over the same buckets, greatest first, the sum of the others last."""

    metric: str
    buckets: tuple[date | datetime, ...]
    series: tuple[Series, ...]


def usage_stack(wanted: UsageFilter) -> tuple[Stack, UsageTable]:
    """The filter's metric by bucket (day unless given) and group (model unless given).

    Also the table of its groups over the whole range. Ratios can't be stacked: they are answered with
    no series. Two statements, one more by project or key.
    """
    cut = stacked(wanted)
    table = usage_table(replace(cut, bucket=""))
    return stack_beside(cut, table), table


def stacked(wanted: UsageFilter) -> UsageFilter:
    """How a stack cuts a filter."""
    return replace(wanted, bucket=wanted.bucket or "day", group=wanted.group or "model", sub="")


def stack_beside(cut: UsageFilter, table: UsageTable) -> Stack:
    """The stack of a cut whose table without the bucket is known. One statement."""
    shown = drawn_keys(table.rows, cut.metric)
    rows = summed(cut, (cut.group,), SUMS_OF[cut.metric], shown=shown).rows
    return stack_of(cut, points_of(cut, rows, table.members(0)))


def stack_of(cut: UsageFilter, points: Iterable[Point]) -> Stack:
    """Points of a filter as a stack of its metric: by its bucket and group, and its sub if it has one."""
    buckets = cut.buckets
    place = {instant_of(bucket): n for n, bucket in enumerate(buckets)}
    amounts: dict[_Cut, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * len(buckets))
    for point in points:
        for currency, amount in _addable(point):
            found = amounts[currency, point.group, point.sub]
            at = place[instant_of(point.bucket)]
            found[at] = EXACT.add(found[at], amount)
    return Stack(metric=cut.metric, buckets=buckets, series=_ranked(amounts))


def ghosts_of(compared: UsageFilter, points: Iterable[Point]) -> tuple[Series, ...]:
    """What was used in each bucket of a compared range, one series for each currency.

    points: of that range by bucket, whatever they are grouped by. A range that is cut, since the other
    one is not over, has no buckets behind its end.
    """
    place = {
        instant_of(bucket): n
        for n, bucket in enumerate(compared.buckets)
        if _began(bucket, compared) < compared.ends_at
    }
    amounts: dict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * len(place))
    for point in points:
        for currency, amount in _addable(point):
            at = place[instant_of(point.bucket)]
            amounts[currency][at] = EXACT.add(amounts[currency][at], amount)
    return tuple(
        Series(group=None, currency=currency, amounts=tuple(found))
        for currency, found in sorted(amounts.items())
    )


def instant_of(bucket: date | datetime | None) -> date | datetime:
    """A bucket as something to look up: hours that come twice equal nothing in another zone."""
    if isinstance(bucket, datetime):
        return bucket.astimezone(UTC)
    return cast("date", bucket)


def _began(bucket: date | datetime, wanted: UsageFilter) -> datetime:
    return bucket if isinstance(bucket, datetime) else day_start(bucket, wanted.zone)


def _addable(point: Point) -> Iterator[tuple[str, Decimal]]:
    for currency, amount in point.amounts:
        if isinstance(amount, int | Decimal):
            yield currency, Decimal(amount)


def metric_amounts(totals: Totals, metric: str) -> list[tuple[str, Decimal]]:
    """The addable amounts of a metric: one for each currency of cost, else one or none."""
    if metric == "cost":
        return [(cost.currency, cost.amount) for cost in totals.costs]
    value = getattr(totals, metric)
    return [("", Decimal(value))] if isinstance(value, int | Decimal) else []


def drawn_keys(rows: Sequence[UsageRow], metric: str) -> Sequence[RowKey] | None:
    """The keys of a table's groups that a stack of the metric has series for: of each currency the first.

    None where that is all of them.
    """
    if len(rows) <= SHOWN_GROUPS:
        return None
    amounts: dict[str, list[tuple[Decimal, list[str], RowKey]]] = defaultdict(list)
    for row in rows:
        for currency, amount in metric_amounts(row.totals, metric):
            amounts[currency].append((-amount, _labels((row.group, row.sub)), row.key))
    first = (key for found in amounts.values() for *_, key in sorted(found)[:SHOWN_GROUPS])
    return [*dict.fromkeys(first)] or None


type _Cut = tuple[str, Member | None, Member | None]


def _ranked(amounts: dict[_Cut, list[Decimal]]) -> tuple[Series, ...]:
    series = []
    for currency in sorted({currency for currency, _, _ in amounts}):
        found = [(cut[1:], values) for cut, values in amounts.items() if cut[0] == currency]
        named = [(members, values) for members, values in found if members[0]]
        named.sort(key=lambda pair: (-exact_sum(pair[1]), *_labels(pair[0])))
        shown, others = named[:SHOWN_GROUPS], named[SHOWN_GROUPS:]
        others += [(members, values) for members, values in found if not members[0]]
        series += [
            Series(group=group, sub=sub, currency=currency, amounts=tuple(values))
            for (group, sub), values in shown
        ]
        if others:
            rest = tuple(exact_sum(c) for c in zip(*(v for _, v in others), strict=True))
            series.append(Series(group=None, currency=currency, amounts=rest))
    return tuple(series)


def _labels(members: Iterable[Member | None]) -> list[str]:
    return [one.label for one in members if one]
