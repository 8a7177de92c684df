"""What each month came to, and which months are closed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db.models.functions import TruncMonth

from accounting.domain.periods import day_start, next_month
from accounting.models import ClosedMonth, Organization, UsageDay
from accounting.queries.totals import Totals, sums, totals_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MonthRow:
    """One local month. is_over: it may be closed. closed_at, closed_by: None while it is open."""

    month: date
    totals: Totals
    is_over: bool
    closed_at: datetime | None = None
    closed_by: str = ""


def month_rows(organization: Organization, now: datetime) -> list[MonthRow]:
    """Every month with usage or closed, newest first. Two statements."""
    zone = ZoneInfo(organization.time_zone)
    rows = (
        UsageDay.objects.of(organization.pk)
        .filter(purpose="usage")
        .annotate(month=TruncMonth("day"))
        .values("month", "currency")
        .annotate(**sums())
        .order_by()
    )
    found: dict[date, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["month"], []).append(row)
    closed = {
        row.month: row
        for row in ClosedMonth.objects.of(organization.pk).select_related("closed_by")
    }
    return [
        MonthRow(
            month=month,
            totals=totals_of(found.get(month, [])),
            is_over=day_start(next_month(month), zone) <= now,
            closed_at=closed[month].closed_at if month in closed else None,
            closed_by=_name(closed.get(month)),
        )
        for month in sorted({*found, *closed}, reverse=True)
    ]


def _name(row: ClosedMonth | None) -> str:
    return row.closed_by.get_username() if row and row.closed_by else ""
