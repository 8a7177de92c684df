"""Where the month will end, for each currency apart."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Min, Sum
from django.db.models.functions import TruncDate

from accounting.domain.forecast import Forecast, run_rate
from accounting.domain.periods import day_of, day_start, next_month
from accounting.queries.filters import UsageFilter
from accounting.queries.selection import hours_of
from accounting.queries.totals import exact_sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One currency's projected month: spent until now, and the forecast of the whole."""

    currency: str
    start: date
    end: date  # exclusive
    spent: Decimal
    forecast: Forecast


def month_projections(wanted: UsageFilter) -> tuple[Projection, ...]:
    """The month that holds the filter's now, by currency; one without forecast while none is used.

    The range of the filter plays no part, its conditions do. Days without usage count as 0 from the
    first day that has some. Two statements.
    """
    today = day_of(wanted.now, wanted.zone)
    start = today.replace(day=1)
    end = next_month(start)
    month = replace(
        wanted,
        start=start,
        end=end,
        starts_at=day_start(start, wanted.zone),
        ends_at=wanted.now,  # so that a look back at a day does not know that day's usage yet
    )
    history = replace(month, starts_at=day_start(date(2020, 1, 1), wanted.zone))
    earliest = hours_of(history).aggregate(at=Min("hour"))["at"]
    first = max(start, day_of(earliest, wanted.zone)) if earliest else today
    spent = _daily_cost(month)
    currencies = sorted({currency for currency, _ in spent}) or [wanted.currency]
    whole = [first + timedelta(days=n) for n in range((today - first).days)]
    return tuple(
        Projection(
            currency=currency,
            start=start,
            end=end,
            spent=(so_far := exact_sum(v for (c, _), v in spent.items() if c == currency)),
            forecast=run_rate(
                [spent.get((currency, day), Decimal(0)) for day in whole],
                spent=so_far,
                days_left=(end - today).days,
            ),
        )
        for currency in currencies
    )


def _daily_cost(wanted: UsageFilter) -> Mapping[tuple[str, date], Decimal]:
    rows: Any = (
        hours_of(wanted)
        .exclude(currency="")
        .annotate(day=TruncDate("hour", tzinfo=wanted.zone))
        .values_list("currency", "day")
        .annotate(amount=Sum("cost"))
    )
    return {(currency, day): amount for currency, day, amount in rows}
