"""Which tables answer a filter: days, hours, days of one attribute, else the ledger."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import (
    Aggregate,
    BigIntegerField,
    CharField,
    DecimalField,
    F,
    Q,
    QuerySet,
    Value,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from accounting.domain.periods import day_of, day_start
from accounting.domain.ranges import DAY
from accounting.models import UsageDay, UsageDayAttribute, UsageDayCaller
from accounting.models.addends import TOTALS
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import (
    CALLERS,
    DAY_DIMENSIONS,
    EVERY,
    HOUR_DIMENSIONS,
    NONE,
    is_attribute,
    tag_of,
)
from accounting.queries.keys import (
    Key,
    bucket_of_day,
    bucket_of_event,
    bucket_of_hour,
    day_key,
    event_key,
    hour_key,
)
from accounting.queries.selection import (
    condition_on,
    conditions,
    events_between,
    hours_between,
)

#: What is kept of a day beside one attribute.
_BESIDE = frozenset({"model", "provider", "status"})
_NONE = Cast(Value(NONE), CharField())


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Rows of one table that count towards a filter. sign: -1 takes them away again."""

    rows: QuerySet[Any]
    key: Key
    bucket: Combinable | None
    is_ledger: bool = False
    sign: int = 1

    def sums(self, names: Iterable[str]) -> Mapping[str, Any]:
        """The aggregates of its rows: sum_<name> of each name, a column of the rollups.

        All in one expression under the name of the last, for statements that are wrapped: Django takes
        longer to look at forty than the server to add them up.
        """
        *others, last = names
        columns = [f"{self._total(name)} AS sum_{name}" for name in others]
        return {
            f"sum_{last}": _Totals(
                ", ".join((*columns, self._total(last))), output_field=BigIntegerField()
            )
        }

    def _total(self, name: str) -> str:
        if self.is_ledger:
            return TOTALS[name]
        return f"sum({name})" if self.sign > 0 else f"-sum({name})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The tables that together hold a filter's usage once. is_slow: the whole of it is events."""

    parts: tuple[Source, ...]
    is_slow: bool = False


class _Totals(Aggregate):
    """Sums as one expression: texts of ours, never input, as the rollups say them of ledger rows."""

    template = "%(totals)s"

    def __init__(self, totals: str, **extra: Any) -> None:
        super().__init__(F("organization_id"), totals=totals, **extra)


def sources_of(wanted: UsageFilter, dimensions: Iterable[str]) -> Sources:
    """What answers a filter that is cut by its bucket and these dimensions.

    The daily rollup where it keeps every one of them and of the conditions, and days or longer are
    asked for, or rather that of an attribute where model, provider and status are enough, or that of
    users, keys or projects where one of these is, beside the status; the hourly one where that does; the
    daily rollup of an attribute where that one alone is asked for, beside model, provider and status;
    else the ledger, which is slow.
    """
    names = {*dimensions, *(choice.name for choice in wanted.choices)}
    in_days = wanted.bucket != "hour" and not wanted.tz
    callers = [name for name in CALLERS if name in names]
    if in_days and len(callers) == 1 and names <= {*callers, "status"}:
        return Sources(parts=tuple(_by_days_of_caller(wanted, callers[0])))
    if in_days and names <= {*DAY_DIMENSIONS}:
        return Sources(parts=tuple(_by_days(wanted, is_beside=names <= _BESIDE)))
    if names <= {*HOUR_DIMENSIONS}:
        return Sources(parts=(_hours(wanted, wanted.starts_at, wanted.ends_at),))
    attributes = [name for name in names if is_attribute(name)]
    if in_days and len(attributes) == 1 and names <= {*attributes, *_BESIDE}:
        return Sources(parts=tuple(_by_days_of(wanted, attributes[0])))
    return Sources(parts=(_ledger(wanted, wanted.starts_at, wanted.ends_at),), is_slow=True)


def ledger_sums(names: Iterable[str]) -> Mapping[str, Any]:
    """The same aggregates over rows of the ledger itself, as the rollups sum them."""
    amounts = {*SUMMED_AMOUNTS, "corrections"}
    return {
        f"sum_{name}": _Totals(
            TOTALS[name], output_field=DecimalField() if name in amounts else BigIntegerField()
        )
        for name in names
    }


def _by_days(wanted: UsageFilter, *, is_beside: bool) -> list[Source]:
    """Whole days from a rollup, and what is left of the first and the last one from its hours.

    is_beside: whether the days of any attribute have all that is asked for.
    """
    first, last = _whole_days(wanted)
    if first >= last:
        return [_hours(wanted, wanted.starts_at, wanted.ends_at)]
    days = UsageDay.objects.of(wanted.organization_id)
    whole = (
        _days(wanted, EVERY, first, last) if is_beside else _plain_days(wanted, days, first, last)
    )
    return [whole, *(_hours(wanted, *span) for span in _ends(wanted, first, last))]


def _by_days_of_caller(wanted: UsageFilter, caller: str) -> list[Source]:
    """The same by user, by key or by project alone."""
    first, last = _whole_days(wanted)
    if first >= last:
        return [_hours(wanted, wanted.starts_at, wanted.ends_at)]
    days = UsageDayCaller.objects.of(wanted.organization_id).filter(caller=caller)
    whole = _plain_days(wanted, days, first, last)
    return [whole, *(_hours(wanted, *span) for span in _ends(wanted, first, last))]


def _plain_days(wanted: UsageFilter, days: QuerySet[Any], first: date, last: date) -> Source:
    """Whole days of a rollup that has the columns of hours."""
    rows = days.filter(
        conditions(wanted, hour_key), purpose=wanted.purpose, day__gte=first, day__lt=last
    )
    return Source(rows=rows, key=hour_key, bucket=bucket_of_day(wanted) if wanted.bucket else None)


def _by_days_of(wanted: UsageFilter, attribute: str) -> list[Source]:
    """Whole days from the rollup, and what is left of the first and the last one from the ledger."""
    first, last = _whole_days(wanted)
    if first >= last:
        return [_ledger(wanted, wanted.starts_at, wanted.ends_at)]
    found = [_days(wanted, attribute, first, last)]
    if tag_of(attribute) and _takes_none(wanted, attribute):
        found += _untagged(wanted, attribute, first, last)
    return found + [_ledger(wanted, *span) for span in _ends(wanted, first, last)]


def _whole_days(wanted: UsageFilter) -> tuple[date, date]:
    """The first whole local day of the filter's span and the day after the last."""
    first, last = (day_of(at, wanted.zone) for at in (wanted.starts_at, wanted.ends_at))
    return (first if day_start(first, wanted.zone) >= wanted.starts_at else first + DAY), last


def _ends(wanted: UsageFilter, first: date, last: date) -> list[tuple[datetime, datetime]]:
    """What the filter's span has before and after its whole days."""
    ends = [
        (wanted.starts_at, day_start(first, wanted.zone)),
        (day_start(last, wanted.zone), wanted.ends_at),
    ]
    return [(start, end) for start, end in ends if start < end]


def _days(wanted: UsageFilter, attribute: str, first: date, last: date) -> Source:
    key = day_key(attribute, F("value"))
    return _of_days(wanted, attribute, (first, last), key, conditions(wanted, key))


def _untagged(wanted: UsageFilter, attribute: str, first: date, last: date) -> list[Source]:
    """What has no such tag: everything, less what has it. Only tagged events have rows of a tag."""
    key = day_key(attribute, _NONE)
    others = Q()
    for choice in wanted.choices:
        if choice.name != attribute:
            others &= condition_on(choice, wanted.organization_id, key(choice.name))
    days = (first, last)
    return [
        _of_days(wanted, EVERY, days, key, others),
        _of_days(wanted, attribute, days, key, others, sign=-1),
    ]


def _of_days(
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


def _hours(wanted: UsageFilter, start: datetime, end: datetime) -> Source:
    rows = hours_between(wanted, start, end)
    bucket = bucket_of_hour(wanted) if wanted.bucket else None
    return Source(rows=rows, key=hour_key, bucket=bucket)


def _ledger(wanted: UsageFilter, start: datetime, end: datetime) -> Source:
    rows = events_between(wanted, start, end).filter(conditions(wanted))
    bucket = bucket_of_event(wanted) if wanted.bucket else None
    return Source(rows=rows, key=event_key, bucket=bucket, is_ledger=True)
