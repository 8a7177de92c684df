"""Which events a repricing run rates again, in the order in which it does."""

from datetime import date
from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from accounting.domain.periods import day_of, month_of
from accounting.models import RepriceRun, UsageEvent
from accounting.queries.filters import Choice, UsageFilter
from accounting.queries.selection import conditions
from accounting.services.closed_months import CORRECTION


def events_of(run: RepriceRun) -> QuerySet[UsageEvent]:
    """The events of a run's span and filter that no newer prices have rated.

    Not corrections: they follow from the events they correct.
    """
    return (
        UsageEvent.objects.of(run.organization_id)
        .filter(
            conditions(filter_of(run)),
            purpose=run.purpose,
            occurred_at__gte=run.starts_at,
            occurred_at__lt=run.ends_at,
            month__gte=month_of(run.starts_at),
            month__lte=month_of(run.ends_at),
            price_version__lte=run.price_version,
        )
        .exclude(operation=CORRECTION)
    )


def next_keys(run: RepriceRun, limit: int) -> list[tuple[bytes, date]]:
    """The next events behind the run's cursor, which moves behind them; uses the index by time."""
    events = events_of(run)
    if run.cursor_at is not None:
        events = events.filter(
            Q(occurred_at__gt=run.cursor_at) | Q(dedupe_key__gt=bytes(run.cursor_key)),
            occurred_at__gte=run.cursor_at,
            month__gte=month_of(run.cursor_at),
        )
    rows = list(
        events.order_by("occurred_at", "dedupe_key").values_list(
            "occurred_at", "dedupe_key", "month"
        )[:limit]
    )
    if rows:
        run.cursor_at, run.cursor_key = rows[-1][0], bytes(rows[-1][1])
    return [(bytes(key), month) for _, key, month in rows]


def filter_of(run: RepriceRun) -> UsageFilter:
    """The filter a run was drafted with."""
    organization = run.organization
    zone = ZoneInfo(organization.time_zone)
    return UsageFilter(
        organization_id=organization.pk,
        zone=zone,
        currency=organization.currency,
        now=run.created_at,
        range="",
        start=day_of(run.starts_at, zone),
        end=day_of(run.ends_at, zone),
        starts_at=run.starts_at,
        ends_at=run.ends_at,
        purpose=run.purpose,
        choices=tuple(
            Choice(name=c["name"], relation=c["relation"], values=tuple(c["values"]))
            for c in run.choices
        ),
    )
