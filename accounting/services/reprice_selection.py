"""Which events a repricing run rates again, in the order in which it does."""

from zoneinfo import ZoneInfo

from django.db.models import Q, QuerySet

from accounting.domain.periods import day_of, month_of
from accounting.models import CostRevision, RepriceRun, UsageEvent
from accounting.models.addends import CORRECTION
from accounting.queries.filters import Choice, UsageFilter
from accounting.queries.selection import conditions
from accounting.services.charged_events import ChargedEvent, charged_events
from accounting.services.recharging import KEYS, Kept

_OLD_KEYS = [f"old_{name}" for name in KEYS]
_NEW_KEYS = [f"new_{name}" for name in KEYS]


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


def next_events(run: RepriceRun, limit: int) -> list[ChargedEvent]:
    """The next events behind the run's cursor, which moves behind them; not locked."""
    found = charged_events(_next(run)[:limit])
    if found:
        run.cursor_at, run.cursor_key = found[-1].at, found[-1].key
    return found


def next_kept(run: RepriceRun, limit: int) -> list[Kept]:
    """The next revisions of a run behind its cursor, which moves behind them."""
    rows = list(
        CostRevision.objects.of(run.organization_id)
        .filter(run=run, pk__gt=run.cursor_id)
        .order_by("pk")
        .values_list("pk", "dedupe_key", "month", "correction_at", *_OLD_KEYS, *_NEW_KEYS)[:limit]
    )
    if rows:
        run.cursor_id = rows[-1][0]
    width = len(KEYS)
    return [
        Kept(pk, bytes(key), month, at, tuple(keys[:width]), tuple(keys[width:]))
        for pk, key, month, at, *keys in rows
    ]


def _next(run: RepriceRun) -> QuerySet[UsageEvent]:
    """The events behind the run's cursor, in the order of the index by time, which it uses."""
    events = events_of(run)
    if run.cursor_at is not None:
        events = events.filter(
            Q(occurred_at__gt=run.cursor_at) | Q(dedupe_key__gt=bytes(run.cursor_key)),
            occurred_at__gte=run.cursor_at,
            month__gte=month_of(run.cursor_at),
        )
    return events.order_by("occurred_at", "dedupe_key")


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
