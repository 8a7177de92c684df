"""Keeping projections as they were made, and measuring them once their periods have ended."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Exists, OuterRef

from accounting.domain.periods import day_of, day_start
from accounting.models import Organization, StoredProjection, UsageHour
from accounting.queries.choices import Choice
from accounting.queries.filters import UsageFilter, usage_filter
from accounting.queries.projection import METRICS, Projection, period_of, projections
from accounting.queries.projection_hits import scope_of, written_conditions
from accounting.queries.spend import usage_totals

#: A period is measured again so long after its end: logs are often read late.
SETTLING_DAYS = 62


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How many projections were stored, and how many of ended periods were measured."""

    stored: int
    measured: int


class _Question(NamedTuple):
    """What stored projections have in common that are measured against one total."""

    conditions: list[list[str | list[str]]]
    purpose: str
    time_zone: str
    metric: str
    start: date
    end: date


def organizations_with_usage() -> tuple[int, ...]:
    """The organizations that have something to project."""
    used = UsageHour.objects.filter(organization_id=OuterRef("pk"))
    found = Organization.objects.filter(Exists(used)).order_by("pk")
    return tuple(found.values_list("pk", flat=True))


def keep_month(*, organization_id: int, now: datetime) -> Kept:
    """Store the day's projections of an organization's month, and measure those that have ended.

    Safe to call at any hour: the first projection of a day stands.
    """
    organization = Organization.objects.get(pk=organization_id)
    wanted = usage_filter({}, organization, now)
    today = day_of(now, wanted.zone)
    told = StoredProjection.objects.of(organization_id).filter(scope=scope_of(wanted), as_of=today)
    stored = 0
    if not told.exists():
        start, end = period_of("month", today)
        for metric in METRICS:
            stored += store(wanted, projections(wanted, start, end, metric=metric))
    return Kept(stored=stored, measured=measure(organization_id=organization_id, now=now))


def store(wanted: UsageFilter, made: Iterable[Projection]) -> int:
    """Keep projections of the filter's now that say something; how many of them are now kept.

    One that was kept earlier on that day stands.
    """
    as_of = day_of(wanted.now, wanted.zone)
    rows = [
        _row(wanted, one, as_of) for one in made if one.forecast.expected or one.forecast.deviation
    ]
    StoredProjection.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


@transaction.atomic
def measure(*, organization_id: int, now: datetime) -> int:
    """Write beside each stored projection of an ended period what it came to; how many changed.

    Periods that ended more than two months ago are left as they were measured.
    """
    organization = Organization.objects.get(pk=organization_id)
    today = day_of(now, ZoneInfo(organization.time_zone))
    ended = StoredProjection.objects.of(organization_id).filter(period_end__lte=today)
    open_ones = ended.filter(period_end__gt=today - timedelta(days=SETTLING_DAYS))
    changed = 0
    for scope, *fields in (
        (open_ones | ended.filter(actual=None))
        .values_list(
            "scope",
            "conditions",
            "purpose",
            "time_zone",
            "metric",
            "period_start",
            "period_end",
            "currency",
        )
        .distinct()
    ):
        *about, currency = fields
        question = _Question(*about)
        actual = _actual(organization, question, currency, now)
        changed += (
            ended.filter(
                scope=scope,
                metric=question.metric,
                currency=currency,
                period_start=question.start,
                period_end=question.end,
            )
            .exclude(actual=actual)
            .update(actual=actual)
        )
    return changed


def _row(wanted: UsageFilter, one: Projection, as_of: date) -> StoredProjection:
    forecast = one.forecast
    return StoredProjection(
        organization_id=wanted.organization_id,
        scope=scope_of(wanted),
        conditions=written_conditions(wanted),
        purpose=wanted.purpose,
        time_zone=wanted.zone.key,
        metric=one.metric,
        currency=one.currency,
        period_start=one.start,
        period_end=one.end,
        as_of=as_of,
        method=forecast.method,
        reason=forecast.reason,
        history_days=forecast.history_days,
        spent=one.spent,
        low=forecast.low,
        expected=forecast.expected,
        high=forecast.high,
        deviation=forecast.deviation,
        scale=forecast.scale,
    )


def _actual(
    organization: Organization, question: _Question, currency: str, now: datetime
) -> Decimal:
    zone = ZoneInfo(question.time_zone)
    wanted = replace(
        usage_filter({}, organization, now),
        zone=zone,
        tz="" if zone.key == organization.time_zone else zone.key,
        start=question.start,
        end=question.end,
        starts_at=day_start(question.start, zone),
        ends_at=day_start(question.end, zone),
        purpose=question.purpose,
        choices=tuple(
            Choice(name=str(name), relation=str(relation), values=tuple(values))
            for name, relation, values in question.conditions
        ),
    )
    totals = usage_totals(wanted)
    if question.metric == "credits":
        return totals.credits or Decimal(0)
    return totals.cost_in(currency)
