"""The one filter: the address's grammar as a frozen value that every question is asked with."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

from django.db.models import Max, Min

from accounting.domain import ranges
from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, day_start
from accounting.models import Organization, Project, UsageHour
from accounting.queries.choices import Choice, choices_of, condition_of
from accounting.queries.grammar import (
    COMPARISONS,
    DAYS,
    DIMENSIONS,
    METRICS,
    MOST_POINTS,
    PARAMETERS,
    RELATIONS,
    WORDS,
    ZONE,
    FilterError,
    is_dimension,
)
from accounting.queries.wanted import UsageFilter
from accounting.queries.zones import check_hours, zone_of

__all__ = [
    "COMPARISONS",
    "DIMENSIONS",
    "METRICS",
    "RELATIONS",
    "WORDS",
    "Choice",
    "FilterError",
    "UsageFilter",
    "first_day",
    "usage_filter",
]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def usage_filter(
    params: Mapping[str, Sequence[str]],
    organization: Organization,
    now: datetime,
    *,
    also: Sequence[str] = (),
    metrics: Collection[str] = METRICS,
    only: str = "",
) -> UsageFilter:
    """The filter that an address, a call or a command means; without any range, month to date.

    params: each parameter's values, as in dict(request.GET.lists()). also: names that the caller
    reads itself. metrics: those that the caller knows. only: the slug of the one project that whoever asks may see. Raises FilterError for
    anything else it can't read. Asks the database only for range=all: one statement.
    """
    for name in params:
        if name not in PARAMETERS and name not in also and condition_of(name) is None:
            raise FilterError("unknown_parameter", f"{name[:80]!r} is no parameter here", name[:80])
    words = {
        name: _word(params, name, metrics if name == "metric" else allowed)
        for name, allowed in WORDS.items()
    }
    own = ZoneInfo(organization.time_zone)
    zone = zone_of(_single(params, ZONE), own)
    start, end = _days(params, words["range"], organization, now.astimezone(zone), only)
    if zone.key != own.key:
        check_hours(zone, own, start, end)
    wanted = UsageFilter(
        organization_id=organization.pk,
        zone=zone,
        currency=organization.currency,
        now=now.astimezone(UTC),
        range="" if params.get("from") else words["range"] or "mtd",
        start=start,
        end=end,
        starts_at=day_start(start, zone),
        ends_at=day_start(end, zone),
        group=words["group"],
        sub=words["sub"],
        bucket=words["bucket"],
        metric=words["metric"] or "cost",
        compare=words["compare"] or "prev",
        weekday=words["weekday"],
        purpose=words["purpose"] or "usage",
        tz="" if zone.key == own.key else zone.key,
        choices=(*choices_of(params), *_limit(only)),
        only=only,
        week_start=organization.week_start,
    )
    _check_cut(wanted)
    return wanted


def _limit(only: str) -> tuple[Choice, ...]:
    return (Choice(name="project", relation="is", values=(only,)),) if only else ()


def _check_cut(wanted: UsageFilter) -> None:
    if wanted.sub and not wanted.group:
        raise FilterError("sub_without_group", "sub needs a group", "sub")
    if wanted.sub and wanted.sub == wanted.group:
        raise FilterError("sub_is_group", "sub must differ from group", "sub")
    if wanted.bucket and len(wanted.buckets) > MOST_POINTS:
        raise FilterError(
            "too_many_points",
            f"{len(wanted.buckets)} buckets of one {wanted.bucket}, at most {MOST_POINTS}",
            "bucket",
        )


def _word(params: Mapping[str, Sequence[str]], name: str, words: Collection[str]) -> str:
    value = _single(params, name)
    if name in {"group", "sub"} and is_dimension(value):
        return value
    if value and value not in words:
        allowed = ", ".join(words)
        raise FilterError(f"unknown_{name}", f"{name}={value[:80]!r}, expected {allowed}", name)
    return value


def _single(params: Mapping[str, Sequence[str]], name: str) -> str:
    values = params.get(name, ())
    if len(values) > 1:
        raise FilterError("repeated_parameter", f"{name} is given {len(values)} times", name)
    return values[0] if values else ""


def _days(
    params: Mapping[str, Sequence[str]],
    name: str,
    organization: Organization,
    now: datetime,
    only: str,
) -> tuple[date, date]:
    start, end = (_day(params, which) for which in DAYS)
    today = now.date()
    if not start and not end:
        booked = booked_days(organization, now.tzinfo, only) if name == "all" else None
        return ranges.named_range(name or "mtd", today, *(booked or (today, today)))
    if name:
        raise FilterError("range_and_days", "give range, or from and to, not both", "range")
    if not start:
        raise FilterError("missing_from", "to needs a from", "from")
    end = end or today + ranges.DAY
    if start >= end:
        raise FilterError(
            "range_reversed", f"to = {end} is exclusive and must lie after from = {start}", "to"
        )
    return start, end


def _day(params: Mapping[str, Sequence[str]], name: str) -> date | None:
    text = _single(params, name)
    if not text:
        return None
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not date(FIRST_YEAR, 1, 1) <= day <= date(LAST_YEAR + 1, 1, 1):
        raise FilterError(
            "bad_date", f"{name}={text[:40]!r}, expected a day {FIRST_YEAR}-01-01 or later", name
        )
    return day


def first_day(organization: Organization, zone: tzinfo | None = None) -> date | None:
    """The day of the organization's earliest usage, None while there is none.

    zone: whose day; the organization's own unless given.
    """
    booked = booked_days(organization, zone)
    return booked[0] if booked else None


def booked_days(
    organization: Organization, zone: tzinfo | None = None, only: str = ""
) -> tuple[date, date] | None:
    """The days of the organization's earliest and latest usage, None while there is none.

    only: the slug of a project; then of its usage.
    """
    hours = UsageHour.objects.of(organization.pk)
    if only:
        projects = Project.objects.of(organization.pk).filter(slug=only)
        hours = hours.filter(project_id__in=projects.values("id"))
    found = hours.aggregate(earliest=Min("hour"), latest=Max("hour"))
    if found["earliest"] is None:
        return None
    own = zone or ZoneInfo(organization.time_zone)
    return found["earliest"].astimezone(own).date(), found["latest"].astimezone(own).date()
