"""Moments in an address: `at`, when prices hold, and `as_of`, what the books knew then."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from accounting.api.pagination import single
from accounting.domain.errors import DomainError
from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, checked_moment, day_start
from accounting.domain.ranges import DAY
from accounting.models import Organization
from accounting.queries.filters import FilterError
from accounting.queries.prices import newest_version, version_on

AS_OF, AT = "as_of", "at"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_VERSION = re.compile(r"\d{1,15}", re.ASCII)
AT_PARAMETER = OpenApiParameter(
    AT, OpenApiTypes.DATETIME, description="When prices hold: ISO 8601 with an offset; default now."
)
AS_OF_PARAMETER = OpenApiParameter(
    AS_OF,
    {
        "oneOf": [
            {"type": "string", "format": "date"},
            {"type": "string", "pattern": r"^\d{1,15}$"},
        ]
    },
    description="As the books knew it: a price version, or a day, whose last version is meant.",
)
DAY_AS_OF_PARAMETER = OpenApiParameter(
    AS_OF, OpenApiTypes.DATE, description="As it stood when this day began; default now."
)


def refuse_as_of(params: Mapping[str, Sequence[str]], taken: Collection[str] = ()) -> None:
    """FilterError for as_of where taken does not hold it: the books keep no former sums of usage."""
    if AS_OF in params and AS_OF not in taken:
        raise FilterError(
            "as_of_not_kept",
            "usage is told as the books have it now, late records and repricing included; explain"
            " tells what repricing changed, and prices, credit-rates, quote and projection take as_of",
            AS_OF,
        )


def moment_in(params: Mapping[str, Sequence[str]]) -> datetime:
    """The moment that at names, else now. Raises FilterError."""
    text = single(params, AT)
    if not text:
        return timezone.now()
    try:
        return checked_moment(datetime.fromisoformat(text))
    except (ValueError, DomainError):
        expected = f"expected ISO 8601 with an offset, {FIRST_YEAR} to {LAST_YEAR}"
        raise FilterError("bad_time", f"{AT}={text[:40]!r}, {expected}", AT) from None


def version_in(params: Mapping[str, Sequence[str]], organization: Organization) -> int:
    """The price version that as_of names, else the newest. Raises FilterError."""
    text = single(params, AS_OF)
    newest = newest_version(organization.pk)
    if not text:
        return newest
    if _VERSION.fullmatch(text):
        if not 1 <= int(text) <= newest:
            raise FilterError(
                "bad_as_of", f"{AS_OF}={text}: there are price versions 1 to {newest}", AS_OF
            )
        return int(text)
    zone = ZoneInfo(organization.time_zone)
    return version_on(organization.pk, day_start(_day(text) + DAY, zone))


def day_in(params: Mapping[str, Sequence[str]]) -> date | None:
    """The day that as_of names, None without it. Raises FilterError."""
    text = single(params, AS_OF)
    return _day(text) if text else None


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise FilterError(
            "bad_as_of", f"{AS_OF}={text[:40]!r}, expected a day as 2026-10-25", AS_OF
        )
    return day
