"""Amounts over time by group, with zeros where nothing was used: what stacked charts draw."""

from collections import defaultdict
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, cast

from accounting.domain.money import EXACT
from accounting.queries.filters import UsageFilter
from accounting.queries.spend import Member, UsageTable, usage_table
from accounting.queries.totals import Totals, exact_sum

#: A chart shows so many groups and the sum of the others.
SHOWN_GROUPS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One group's amounts, one for each bucket.

    group: None is the sum of all groups that have no series of their own. currency: '' unless the
    metric is cost; amounts of different currencies never share an axis.
    """

    group: Member | None
    currency: str
    amounts: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Series over the same buckets, greatest first, the sum of the others last."""

    metric: str
    buckets: tuple[date | datetime, ...]
    series: tuple[Series, ...]


def usage_stack(wanted: UsageFilter) -> tuple[Stack, UsageTable]:
    """The filter's metric by bucket (day unless given) and group (model unless given).

    Also the table it was drawn from. Ratios can't be stacked: they are answered with no series.
    As many statements as usage_table: one, or two by project or key.
    """
    cut = replace(wanted, bucket=wanted.bucket or "day", group=wanted.group or "model", sub="")
    table = usage_table(cut)
    buckets = cut.buckets
    place = {bucket: n for n, bucket in enumerate(buckets)}
    amounts: dict[tuple[str, Any], list[Decimal]] = defaultdict(lambda: [Decimal(0)] * len(buckets))
    for row in table.rows:
        for currency, amount in metric_amounts(row.totals, cut.metric):
            found = amounts[currency, row.group]
            at = place[cast("date | datetime", row.bucket)]
            found[at] = EXACT.add(found[at], amount)
    return Stack(metric=cut.metric, buckets=buckets, series=_ranked(amounts)), table


def metric_amounts(totals: Totals, metric: str) -> list[tuple[str, Decimal]]:
    """The addable amounts of a metric: one for each currency of cost, else one or none."""
    if metric == "cost":
        return [(cost.currency, cost.amount) for cost in totals.costs]
    value = getattr(totals, metric)
    return [("", Decimal(value))] if isinstance(value, int | Decimal) else []


def _ranked(amounts: dict[tuple[str, Any], list[Decimal]]) -> tuple[Series, ...]:
    series = []
    for currency in sorted({currency for currency, _ in amounts}):
        found = [(group, values) for (c, group), values in amounts.items() if c == currency]
        found.sort(key=lambda pair: (-exact_sum(pair[1]), pair[0].label))
        shown, others = found[:SHOWN_GROUPS], found[SHOWN_GROUPS:]
        named: list[tuple[Member | None, list[Decimal]]] = [*shown]
        if others:
            named.append((None, [exact_sum(c) for c in zip(*(v for _, v in others), strict=True)]))
        series += [
            Series(group=group, currency=currency, amounts=tuple(values)) for group, values in named
        ]
    return tuple(series)
