"""Whole local days from the rollups that keep them; what a span has before and after them from hours or events."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from typing import Any

from django.db.models import CharField, F, Q, QuerySet, Value
from django.db.models.functions import Cast

from accounting.domain.periods import day_of, day_start
from accounting.domain.ranges import DAY
from accounting.models import UsageDay, UsageDayAttribute, UsageDayCaller, UsageDayCell
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import EVERY, NONE, tag_of
from accounting.queries.keys import Key, bucket_of_day, day_key, event_key, hour_key
from accounting.queries.selection import condition_on, conditions
from accounting.queries.tables import Source, hours, ledger

_NONE = Cast(Value(NONE), CharField())


type Ends = Callable[[UsageFilter, datetime, datetime], Source]


def by_days(wanted: UsageFilter, *, is_beside: bool) -> tuple[Source, ...]:
    """Days by all that they keep; their ends from hours.

    is_beside: whether the days of any attribute have all that is asked for.
    """
    days = UsageDay.objects.of(wanted.organization_id)

    def whole(first: date, last: date) -> list[Source]:
        if is_beside:
            return [_attribute_days(wanted, EVERY, first, last)]
        return [_plain_days(wanted, days, hour_key, first, last)]

    return _with_ends(wanted, whole, hours)


def by_caller(wanted: UsageFilter, caller: str) -> tuple[Source, ...]:
    """Days by user, by key or by project alone; their ends from hours."""
    days = UsageDayCaller.objects.of(wanted.organization_id).filter(caller=caller)
    return _with_ends(wanted, lambda *span: [_plain_days(wanted, days, hour_key, *span)], hours)


def by_attribute(wanted: UsageFilter, attribute: str) -> tuple[Source, ...]:
    """Days by one attribute, model, provider and status; their ends from events."""

    def whole(first: date, last: date) -> list[Source]:
        found = [_attribute_days(wanted, attribute, first, last)]
        if tag_of(attribute) and _takes_none(wanted, attribute):
            found += _untagged(wanted, attribute, first, last)
        return found

    return _with_ends(wanted, whole, ledger)


def by_cells(wanted: UsageFilter, ends: Ends) -> tuple[Source, ...]:
    """Days by anything that a filter can be cut by; their ends from hours or events."""
    days = UsageDayCell.objects.of(wanted.organization_id)
    return _with_ends(wanted, lambda *span: [_plain_days(wanted, days, event_key, *span)], ends)


def _with_ends(
    wanted: UsageFilter, whole: Callable[[date, date], Iterable[Source]], ends: Ends
) -> tuple[Source, ...]:
    """The whole local days of the filter's span, and what it has before and after them."""
    first, last = (day_of(at, wanted.zone) for at in (wanted.starts_at, wanted.ends_at))
    first = first if day_start(first, wanted.zone) >= wanted.starts_at else first + DAY
    if first >= last:
        return (ends(wanted, wanted.starts_at, wanted.ends_at),)
    left = [
        (wanted.starts_at, day_start(first, wanted.zone)),
        (day_start(last, wanted.zone), wanted.ends_at),
    ]
    return (*whole(first, last), *(ends(wanted, *span) for span in left if span[0] < span[1]))


def _plain_days(
    wanted: UsageFilter, days: QuerySet[Any], key: Key, first: date, last: date
) -> Source:
    """Whole days of a rollup that has the columns of hours or events."""
    rows = days.filter(
        conditions(wanted, key), purpose=wanted.purpose, day__gte=first, day__lt=last
    )
    return Source(rows=rows, key=key, bucket=bucket_of_day(wanted) if wanted.bucket else None)


def _attribute_days(wanted: UsageFilter, attribute: str, first: date, last: date) -> Source:
    key = day_key(attribute, F("value"))
    return _attribute_source(wanted, attribute, (first, last), key, conditions(wanted, key))


def _untagged(wanted: UsageFilter, attribute: str, first: date, last: date) -> list[Source]:
    """What has no such tag: everything, less what has it. Only tagged events have rows of a tag."""
    key = day_key(attribute, _NONE)
    others = Q()
    for choice in wanted.choices:
        if choice.name != attribute:
            others &= condition_on(choice, wanted.organization_id, key(choice.name))
    days = (first, last)
    return [
        _attribute_source(wanted, EVERY, days, key, others),
        _attribute_source(wanted, attribute, days, key, others, sign=-1),
    ]


def _attribute_source(
    wanted: UsageFilter,
    attribute: str,
    days: tuple[date, date],
    key: Key,
    condition: Q,
    sign: int = 1,
) -> Source:
    rows = UsageDayAttribute.objects.of(wanted.organization_id).filter(
        condition,
        purpose=wanted.purpose,
        attribute=attribute,
        day__gte=days[0],
        day__lt=days[1],
    )
    bucket = bucket_of_day(wanted) if wanted.bucket else None
    return Source(rows=rows, key=key, bucket=bucket, sign=sign)


def _takes_none(wanted: UsageFilter, attribute: str) -> bool:
    """Whether the conditions on an attribute let 'none' pass."""
    for choice in wanted.choices:
        if choice.name != attribute:
            continue
        if choice.relation == "contains":
            if not any(value.lower() in NONE for value in choice.values):
                return False
        elif (NONE in choice.values) != (choice.relation == "is"):
            return False
    return True
