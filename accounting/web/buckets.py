"""The buckets of a filter as a chart's columns: their names, which are not over, where they lead."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _

from accounting.domain.periods import day_of, next_month
from accounting.domain.ranges import DAY, HOUR, bucket_of
from accounting.queries.comparing import address
from accounting.queries.filters import UsageFilter
from accounting.web import formatting
from accounting.web.axes import Buckets

LONGEST_DAILY = 92
LONGEST_WEEKLY = 750
#: A chart draws no more columns than this: they would be thinner than a pixel.
MOST_DRAWN = 800
#: What one bucket is looked at by, after a click.
_FINER = {"month": "day", "week": "day", "day": "hour"}
#: Parameters that say how a page cuts usage: a list of requests has none of them.
_OF_A_CUT = frozenset(
    {"range", "from", "to", "group", "sub", "bucket", "metric", "compare", "weekday"}
)


def fitting_bucket(wanted: UsageFilter) -> str:
    """The bucket the address asks for, else days; of one day hours, of longer ranges weeks or months."""
    days = (wanted.end - wanted.start).days
    if wanted.bucket:
        return wanted.bucket
    if days == 1:
        return "hour"
    return "day" if days <= LONGEST_DAILY else "week" if days <= LONGEST_WEEKLY else "month"


def columns(
    starts: Sequence[date | datetime],
    wanted: UsageFilter,
    query: QueryDict | None = None,
    *,
    day_leads_to: str = "",
) -> Buckets:
    """The columns of a chart.

    query: of the page; with it each column leads on to what is in it. day_leads_to: the page that a
    day leads to instead of its hours.
    """
    return Buckets(
        names=tuple(name(start, wanted) for start in starts),
        labels=tuple(_label(start, wanted) for start in starts),
        unfinished=sum(_is_unfinished(start, wanted) for start in starts),
        links=_links(starts, wanted, query, day_leads_to) if query is not None else (),
    )


def name(start: date | datetime, wanted: UsageFilter) -> str:
    """A bucket in full."""
    if isinstance(start, datetime):
        return formatting.moment(start, wanted.zone)
    if wanted.bucket == "week":
        return _("week of %(day)s") % {"day": formatting.day(start)}
    return formatting.month(start) if wanted.bucket == "month" else formatting.day(start)


def _label(start: date | datetime, wanted: UsageFilter) -> str:
    if isinstance(start, datetime):
        return formatting.clock(start, wanted.zone)
    return formatting.month(start) if wanted.bucket == "month" else formatting.short_day(start)


def _is_unfinished(start: date | datetime, wanted: UsageFilter) -> bool:
    if isinstance(start, datetime):
        return start + HOUR > wanted.now
    return start >= bucket_of(day_of(wanted.now, wanted.zone), wanted.bucket, wanted.week_start)


def _links(
    starts: Sequence[date | datetime], wanted: UsageFilter, query: QueryDict, day_leads_to: str
) -> tuple[str, ...]:
    """Into a month or a week by days, into a day by hours, from an hour to its requests."""
    inner = _inner(query, wanted)
    return tuple(
        _to_requests(start, wanted)
        if isinstance(start, datetime)
        else _to_page(start, wanted, day_leads_to)
        if day_leads_to and wanted.bucket == "day"
        else _into(start, wanted, inner)
        for start in starts
    )


def _to_requests(hour: datetime, wanted: UsageFilter) -> str:
    day = hour.astimezone(wanted.zone).date()
    behind = [("after", f"{(hour + HOUR).isoformat()}~")]
    return f"{reverse('requests')}?{urlencode([*_within(day, wanted), *behind])}"


def _to_page(day: date, wanted: UsageFilter, leads_to: str) -> str:
    dearest = [("order", "-cost")]
    return f"{reverse(leads_to)}?{urlencode([*_within(day, wanted), *dearest])}"


def _into(start: date, wanted: UsageFilter, inner: Sequence[tuple[str, str]]) -> str:
    """The page with the days of one bucket. inner: its parameters as they are written, by their names."""
    end = next_month(start) if wanted.bucket == "month" else start + _length(wanted.bucket)
    days = {
        "from": f"from={max(start, wanted.start).isoformat()}",
        "to": f"to={min(end, wanted.end).isoformat()}",
    }
    return "?" + "&".join(days.get(name, text) for name, text in inner)


def _inner(query: QueryDict, wanted: UsageFilter) -> list[tuple[str, str]]:
    """What the pages of all buckets share, written once: a chart may have hundreds of them."""
    inner = query.copy()
    for gone in ("range", "page"):
        inner.pop(gone, None)
    inner["from"] = inner["to"] = ""
    inner["bucket"] = _FINER.get(wanted.bucket or "day", "hour")
    return [
        (name, urlencode([(name, value)])) for name, values in inner.lists() for value in values
    ]


def _within(day: date, wanted: UsageFilter) -> list[tuple[str, str]]:
    """A day, with the conditions of the filter."""
    conditions = [pair for pair in address(wanted) if pair[0] not in _OF_A_CUT]
    return [("from", day.isoformat()), ("to", (day + DAY).isoformat()), *conditions]


def _length(bucket: str) -> timedelta:
    return 7 * DAY if bucket == "week" else DAY
