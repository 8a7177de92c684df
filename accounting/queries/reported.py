"""What providers and counters report, beside what was counted of the same models and time."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, F, Max, Min, QuerySet, Sum

from accounting.domain.aggregates import AGGREGATE_COUNTS
from accounting.models import UsageAggregate
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.grouping import grouped
from accounting.queries.selection import conditions
from accounting.queries.totals import NOTHING, Totals

_KEPT = frozenset({"provider", "model", "source"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What one source reports of one model. A count is None where no row of it tells that.

    starts_at, ends_at: from the first to the last period it speaks of; rows: how many it has. cost:
    by currency. counted: what the books hold of the provider and model in the whole range.
    """

    source: str
    provider: str
    model: str
    starts_at: datetime
    ends_at: datetime
    rows: int
    counts: Mapping[str, int | None]
    cost: Mapping[str, Decimal]
    credits: Decimal | None
    counted: Totals


def reported_usage(wanted: UsageFilter) -> tuple[Reported, ...]:
    """Reports of the range, by source, provider and model, beside the books. Two statements.

    Reports are never summed with requests: they tell of the same usage again. A report belongs to
    the range in which its period starts. Raises FilterError for a condition that reports don't know.
    """
    strange = [choice.name for choice in wanted.choices if choice.name not in _KEPT]
    if strange:
        raise FilterError(
            "not_reported", f"reports don't tell of {strange[0]}, only of provider and model", ""
        )
    reports = UsageAggregate.objects.of(wanted.organization_id).filter(
        conditions(wanted, _key),
        purpose=wanted.purpose,
        period_start__gte=wanted.starts_at,
        period_start__lt=wanted.ends_at,
    )
    told: dict[tuple[str, str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in _by_model(reports):
        told[row["source"], row["provider"], row["model"]].append(row)
    # The books know a request by the source of its log, not by that of a report about it.
    others = tuple(choice for choice in wanted.choices if choice.name != "source")
    asked = replace(wanted, bucket="", group="", sub="", choices=others)
    counted = dict(grouped(asked, ("provider", "model")).rows) if told else {}
    return tuple(
        _reported(key, rows, counted.get(key[1:], NOTHING)) for key, rows in sorted(told.items())
    )


def _key(name: str) -> F:
    return F(name)


def _by_model(reports: QuerySet[UsageAggregate]) -> QuerySet[Any, Any]:
    by_currency: QuerySet[Any, Any] = reports.values(
        "source", "provider", "model", "reported_currency"
    )
    summed: QuerySet[Any, Any] = by_currency.annotate(
        starts_at=Min("period_start"),
        ends_at=Max("period_end"),
        rows=Count("pk"),
        cost=Sum("reported_cost"),
        credit=Sum("credits"),
        **{f"sum_{name}": Sum(name) for name in AGGREGATE_COUNTS},
    )
    return summed.order_by()


def _reported(
    key: tuple[str, str, str], rows: list[Mapping[str, Any]], counted: Totals
) -> Reported:
    """Rows of one model, one for each currency it is charged in ('': none told)."""
    source, provider, model = key
    return Reported(
        source=source,
        provider=provider,
        model=model,
        starts_at=min(row["starts_at"] for row in rows),
        ends_at=max(row["ends_at"] for row in rows),
        rows=sum(row["rows"] for row in rows),
        counts={name: _told(row[f"sum_{name}"] for row in rows) for name in AGGREGATE_COUNTS},
        cost={
            row["reported_currency"]: row["cost"]
            for row in sorted(rows, key=lambda row: row["reported_currency"])
            if row["cost"] is not None
        },
        credits=_told(row["credit"] for row in rows),
        counted=counted,
    )


def _told[Number: (int, Decimal)](values: Iterable[Number | None]) -> Number | None:
    """The sum of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
