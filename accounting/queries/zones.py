"""Another time zone than the organization's: answered where its hours are whole hours of the books."""

from datetime import date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from accounting.domain.ranges import DAY, HOUR
from accounting.queries.grammar import ZONE, FilterError


def zone_of(name: str, own: ZoneInfo) -> ZoneInfo:
    """The zone that a name means, the organization's own for ''. Raises FilterError for no zone."""
    if not name:
        return own
    if name not in zone_names():
        raise FilterError(
            "unknown_zone", f"{ZONE}={name[:80]!r}, expected a zone as Europe/Berlin", ZONE
        )
    return ZoneInfo(name)


def check_hours(zone: ZoneInfo, own: ZoneInfo, start: date, end: date) -> None:
    """Raise FilterError where the books' hours, cut in their own zone, would lie across two hours."""
    day = start
    while day <= end:
        if _offset(day, zone) % HOUR != _offset(day, own) % HOUR:
            raise FilterError(
                "zone_not_hour_aligned",
                f"hours of {zone.key} are not whole hours of {own.key} on {day}",
                ZONE,
            )
        day += DAY


def _offset(day: date, zone: ZoneInfo) -> timedelta:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    return midnight.utcoffset() or timedelta()


@cache
def zone_names() -> frozenset[str]:
    """The names that PostgreSQL knows too; what a machine calls local is nobody's zone."""
    return frozenset(available_timezones() - {"localtime"})
