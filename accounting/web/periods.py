"""From the days a page shows to those around them: the range before, the one after, the one above."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import QueryDict
from django.utils.translation import gettext as _

from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, day_of, next_month
from accounting.domain.ranges import DAY, months_later
from accounting.queries.filters import UsageFilter
from accounting.web import formatting


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A link to other days. kind: up, back or on."""

    kind: str
    label: str
    address: str


def steps(wanted: UsageFilter, query: QueryDict) -> tuple[Step, ...]:
    """The month above a day, the year above a month; the days before and after, while there are any."""
    start, end = wanted.start, wanted.end
    found = [*_above(start, end, query)]
    if wanted.range == "mtd":  # what lies beside a month that is not over is the whole month before
        end = next_month(start)
    back, on = _beside(start, end)
    if back[0].year >= FIRST_YEAR:
        found.append(_step("back", span(*back), query, back))
    if on[0] <= day_of(wanted.now, wanted.zone) and on[1].year <= LAST_YEAR:
        found.append(_step("on", span(*on), query, on))
    return tuple(found)


def _above(start: date, end: date, query: QueryDict) -> Iterator[Step]:
    month = start.replace(day=1)
    if end - start == DAY:
        yield _step("up", formatting.month(month), query, (month, next_month(month)), "day")
    elif (start, end) == (month, next_month(month)):
        year = (date(start.year, 1, 1), date(start.year + 1, 1, 1))
        yield _step("up", str(start.year), query, year, "month")


def _beside(start: date, end: date) -> tuple[tuple[date, date], tuple[date, date]]:
    """As many whole months where it is whole months, else as many days."""
    months = (end.year - start.year) * 12 + end.month - start.month
    if start.day == end.day == 1 and months:
        return (months_later(start, -months), start), (end, months_later(end, months))
    length: timedelta = end - start
    return (start - length, start), (end, end + length)


def span(start: date, end: date) -> str:
    """A range of days in words; end is exclusive."""
    last = end - DAY
    if start == last:
        return formatting.day(start)
    return _("%(first)s to %(last)s") % {
        "first": formatting.day(start),
        "last": formatting.day(last),
    }


def _step(
    kind: str, label: str, query: QueryDict, days: tuple[date, date], bucket: str = ""
) -> Step:
    moved = query.copy()
    for gone in ("range", "after", "page"):
        moved.pop(gone, None)
    moved["from"], moved["to"] = (day.isoformat() for day in days)
    if bucket and "bucket" in moved:
        moved["bucket"] = bucket
    return Step(kind=kind, label=label, address="?" + moved.urlencode())
