"""Filters made from a filter: the range it is compared with, and the address that means it again."""

from dataclasses import replace

from accounting.domain import ranges
from accounting.domain.periods import day_of, day_start
from accounting.queries.filters import WORDS, UsageFilter
from accounting.queries.grammar import MARKS, ZONE


def comparison(wanted: UsageFilter) -> UsageFilter | None:
    """The same question about the range it is compared with, None for compare=none.

    Where the range is not over, the other one is cut at the same hour of the same day of it. With
    weekday=1 it begins on the nearest day of the same weekday that leaves it before this range.
    """
    if wanted.compare == "none":
        return None
    if wanted.compare == "yoy":
        start, end = ranges.range_a_year_before(wanted.start, wanted.end)
    else:
        start, end = ranges.range_before(wanted.range, wanted.start, wanted.end)
    if wanted.weekday:
        start, end = ranges.on_same_weekday(start, end, wanted.start)
    ends_at = day_start(end, wanted.zone)
    if wanted.starts_at <= wanted.now < wanted.ends_at:
        day = start + (day_of(wanted.now, wanted.zone) - wanted.start)
        ends_at = min(ends_at, ranges.same_hour(day, wanted.now, wanted.zone))
    return replace(
        wanted,
        start=start,
        end=end,
        starts_at=day_start(start, wanted.zone),
        ends_at=ends_at,
        compare="none",
    )


def address(wanted: UsageFilter) -> list[tuple[str, str]]:
    """The parameters that mean this filter again, defaults left out: for links and curl."""
    pairs = (
        [("range", wanted.range)]
        if wanted.range
        else [("from", wanted.start.isoformat()), ("to", wanted.end.isoformat())]
    )
    defaults = {"metric": "cost", "compare": "prev", "purpose": "usage"}
    for name in WORDS:
        value = getattr(wanted, name)
        if name != "range" and value != defaults.get(name, ""):
            pairs.append((name, value))
    if wanted.tz:
        pairs.append((ZONE, wanted.tz))
    pairs += [
        (choice.name + MARKS[choice.relation], value)
        for choice in wanted.choices
        for value in choice.values
    ]
    return pairs
