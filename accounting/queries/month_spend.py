"""What each day of the month that is running cost, for drawing where it will end."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import cast

from accounting.domain.money import EXACT
from accounting.domain.periods import day_of, day_start
from accounting.domain.ranges import DAY
from accounting.queries.filters import UsageFilter
from accounting.queries.projection import period_of
from accounting.queries.spend import usage_rows


def month_spend(wanted: UsageFilter) -> Mapping[str, tuple[Decimal, ...]]:
    """The cost of each day from the month's first to today, by currency; the filter's days play no part.

    One statement.
    """
    today = day_of(wanted.now, wanted.zone)
    start, _ = period_of("month", today)
    end = today + DAY
    days = replace(
        wanted,
        start=start,
        end=end,
        starts_at=day_start(start, wanted.zone),
        ends_at=day_start(end, wanted.zone),
        bucket="day",
        group="",
        sub="",
    )
    spent: dict[str, list[Decimal]] = defaultdict(lambda: [Decimal(0)] * (end - start).days)
    for row in usage_rows(days):
        place = (cast("date", row.bucket) - start).days
        for cost in row.totals.costs:
            spent[cost.currency][place] = EXACT.add(spent[cost.currency][place], cost.amount)
    return {currency: tuple(amounts) for currency, amounts in spent.items()}
