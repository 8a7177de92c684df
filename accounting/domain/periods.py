"""Moments and spans: UTC instants, months of the ledger, hours and days of an organization's zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from accounting.domain.errors import BadMomentError

FIRST_YEAR = 2020
LAST_YEAR = 2099
#: A key that starts this close to a month's edge may stand in either month's partition.
EDGE = timedelta(hours=24)
#: Days of every month that lie further from its edges.
_FAR_FROM_EDGES, _LAST_FAR_DAY = 3, 26


def checked_moment(moment: datetime) -> datetime:
    """The moment in UTC; raises BadMomentError without an offset or outside 2020 to 2099."""
    if moment.tzinfo is None:
        raise BadMomentError(f"{moment.isoformat()} has no offset")
    if moment.tzinfo is not UTC:
        try:
            moment = moment.astimezone(UTC)
        except OverflowError:
            raise BadMomentError(f"{moment.isoformat()} is outside the calendar") from None
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise BadMomentError(f"{moment.isoformat()} is outside {FIRST_YEAR} to {LAST_YEAR}")
    return moment


def month_of(moment: datetime) -> date:
    """The first day of the UTC month of a UTC moment: the partition an event lies in."""
    return date(moment.year, moment.month, 1)


def next_month(month: date) -> date:
    """The first day of the month after."""
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def near_month_edge(moment: datetime) -> bool:
    """Whether another UTC month begins or ended within 24 hours of the moment."""
    if _FAR_FROM_EDGES <= moment.day <= _LAST_FAR_DAY:
        return False
    return month_of(moment - EDGE) != month_of(moment + EDGE)


def hour_of(moment: datetime, zone: ZoneInfo) -> datetime:
    """The start, in UTC, of the zone's clock hour that holds the moment.

    The offset in force at the moment is used for the start too, as PostgreSQL's
    date_trunc('hour', moment, zone) does, so that the two agree over every change of clocks.
    """
    offset = moment.astimezone(zone).utcoffset() or timedelta()
    local = (moment + offset).replace(minute=0, second=0, microsecond=0)
    return local - offset


def day_of(moment: datetime, zone: ZoneInfo) -> date:
    """The zone's calendar day of the moment."""
    return moment.astimezone(zone).date()


def day_start(day: date, zone: ZoneInfo) -> datetime:
    """The first instant of a local day, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)
