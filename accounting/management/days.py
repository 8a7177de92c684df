"""Days as options of commands."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError
from django.utils import timezone

from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, day_of, day_start
from accounting.models import Organization


def local_start(options: dict[str, Any], organization: Organization) -> datetime:
    """The local midnight of the day of --from, of today without one. Raises CommandError."""
    zone = ZoneInfo(organization.time_zone)
    return midnight(options["start"], "--from", organization) or day_start(
        day_of(timezone.now(), zone), zone
    )


def midnight(written: str | None, option: str, organization: Organization) -> datetime | None:
    """The local midnight of a day that an option names, None without one. Raises CommandError."""
    if not written:
        return None
    try:
        day = date.fromisoformat(written)
    except ValueError:
        day = date.min
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise CommandError(f"{option} {written!r}: expected a day as 2026-10-25", returncode=2)
    return day_start(day, ZoneInfo(organization.time_zone))
