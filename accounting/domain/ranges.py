"""Ranges of local days by name, the range before one, and the buckets a range falls into.

Every range is half-open. Days are stepped as days, hours as instants: a day of 23 or 25 hours is one
day and 23 or 25 hours.
"""

from calendar import monthrange
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from accounting.domain.periods import day_start, hour_of, next_month

RANGES = (
    "today",
    "yesterday",
    "7d",
    "30d",
    "90d",
    "mtd",
    "last_month",
    "qtd",
    "ytd",
    "12m",
    "all",
)
BUCKETS = ("hour", "day", "week", "month")
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)
HOUR = timedelta(hours=1)
MONDAY = 0
#: Ranges that are compared with the same part of the calendar period before, by its months.
_PERIOD_MONTHS = {"mtd": 1, "last_month": 1, "qtd": 3, "ytd": 12, "12m": 12}


def named_range(
    name: str, today: date, first_day: date, last_day: date | None = None
) -> tuple[date, date]:
    """The first day and the day after the last of a range of RANGES.

    Ranges that are not over end with today. first_day, last_day: of what is booked; 'all' takes it all
    in, also what lies ahead.
    """
    tomorrow = today + DAY
    month = today.replace(day=1)
    quarter = months_later(month, -((month.month - 1) % 3))
    return {
        "today": (today, tomorrow),
        "yesterday": (today - DAY, today),
        "7d": (tomorrow - 7 * DAY, tomorrow),
        "30d": (tomorrow - 30 * DAY, tomorrow),
        "90d": (tomorrow - 90 * DAY, tomorrow),
        "mtd": (month, tomorrow),
        "last_month": (months_later(month, -1), month),
        "qtd": (quarter, tomorrow),
        "ytd": (date(today.year, 1, 1), tomorrow),
        "12m": (months_later(month, -11), tomorrow),
        "all": (min(first_day, today), max((last_day or today) + DAY, tomorrow)),
    }[name]


def range_before(name: str, start: date, end: date) -> tuple[date, date]:
    """The range that 'compare=prev' means: the same days of the period before, else as many days.

    name: of RANGES, or '' for a range given by its days, which counts as calendar months where it
    starts and ends on the first of one.
    """
    whole_months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1 and name in {"", "last_month"}:
        return months_later(start, -whole_months), start
    months = _PERIOD_MONTHS.get(name)
    before = months_later(start, -months) if months else start - (end - start)
    return before, min(before + (end - start), start)


def range_a_year_before(start: date, end: date) -> tuple[date, date]:
    """The range that 'compare=yoy' means."""
    return months_later(start, -12), months_later(end, -12)


def on_same_weekday(start: date, end: date, first: date) -> tuple[date, date]:
    """An earlier range moved to the nearest day of the weekday of `first`, and as a whole before it.

    end is moved as far as start, so that as many days are compared.
    """
    shift = (first.weekday() - start.weekday() + 3) % 7 - 3
    if end + DAY * shift > first:
        shift -= 7
    return start + DAY * shift, end + DAY * shift


def months_later(day: date, months: int) -> date:
    """The same day some months later (earlier when negative), or that month's last day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    month += 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def bucket_of(day: date, bucket: str, week_start: int = MONDAY) -> date:
    """The first day of the day's 'week' or 'month', or the day itself.

    week_start: the weekday on which weeks begin, as date.weekday() counts: Monday is 0.
    """
    match bucket:
        case "week":
            return day - DAY * ((day.weekday() - week_start) % 7)
        case "month":
            return day.replace(day=1)
        case _:
            return day


def bucket_starts(
    start: date, end: date, bucket: str, week_start: int = MONDAY
) -> tuple[date, ...]:
    """The buckets ('day', 'week' or 'month') that hold a day of the range, in order."""
    starts = []
    at = bucket_of(start, bucket, week_start)
    while at < end:
        starts.append(at)
        at = next_month(at) if bucket == "month" else at + (WEEK if bucket == "week" else DAY)
    return tuple(starts)


def hour_starts(start: date, end: date, zone: ZoneInfo) -> tuple[datetime, ...]:
    """The zone's clock hours of the range as instants, in order."""
    first, last = day_start(start, zone), day_start(end, zone)
    days = (first + DAY * n for n in range((last - first) // DAY + 2))
    if len({hour_of(at, zone).minute for at in days}) == 1:
        return tuple(first + HOUR * n for n in range((last - first) // HOUR))
    # On Lord Howe clocks change by half an hour, and hours begin at another minute from then on.
    halves = (first + HOUR / 2 * n for n in range((last - first) // (HOUR / 2)))
    return tuple(dict.fromkeys(hour_of(at, zone) for at in halves))


def same_hour(day: date, now: datetime, zone: ZoneInfo) -> datetime:
    """The instant of another day at which as many whole hours of it are over as today at now."""
    today = day_start(now.astimezone(zone).date(), zone)
    return day_start(day, zone) + HOUR * ((now - today) // HOUR)
