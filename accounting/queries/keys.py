"""Names of the grammar as expressions over each table: the only place that knows the columns."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import CharField, F, Func, TextField, Value
from django.db.models.expressions import Combinable
from django.db.models.fields import DateField, DateTimeField
from django.db.models.functions import Cast, Coalesce, Left, NullIf, Trunc

from accounting.domain.ranges import MONDAY
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import ATTRIBUTES, FIELDS, LONGEST_VALUE, NONE, tag_of

#: How a table is asked for a dimension's value; what is missing is 0 for keys, '' or 'none' for texts.
type Key = Callable[[str], Combinable]
#: Dimension -> the column that days, hours and events share.
_SHARED: Mapping[str, Combinable] = {
    "model": F("model"),
    "provider": F("provider"),
    "project": F("project_id"),
    "key": Coalesce(F("api_key_id"), 0),
    "user": F("user_id"),
    "source": F("source"),
    "status": F("status"),
}
_FIELDS: Mapping[str, Combinable] = {name: F(name) for name in FIELDS} | {
    "session": F("session_id")
}
_TEXT: "CharField[str, str]" = CharField()


def hour_key(dimension: str) -> Combinable:
    """A dimension in the hourly rollup, and in the daily one; KeyError for one that no hour keeps."""
    return _SHARED[dimension]


def event_key(dimension: str) -> Combinable:
    """Any dimension, tag or field in the ledger, as the rollups write it."""
    if tag := tag_of(dimension):
        told = Func(
            F("tags"), Value(tag), function="jsonb_extract_path_text", output_field=TextField()
        )
        return _named(Left(told, LONGEST_VALUE))
    if dimension in ATTRIBUTES:
        return _named(F(dimension))
    return _FIELDS[dimension] if dimension in _FIELDS else _SHARED[dimension]


def day_key(attribute: str, value: Combinable) -> Key:
    """Dimensions in the daily rollup of one attribute, whose value is given."""

    def key(dimension: str) -> Combinable:
        return value if dimension == attribute else F(dimension)

    return key


def bucket_of_hour(wanted: UsageFilter) -> Combinable:
    """The start of the bucket an hour lies in: the hour itself, or a local day."""
    if wanted.bucket == "hour":
        return F("hour")
    return _instants("hour", wanted)


def bucket_of_day(wanted: UsageFilter) -> Combinable:
    """The start of the bucket a day lies in."""
    if wanted.bucket == "day":
        return F("day")
    if _has_own_weeks(wanted):
        return _Week(F("day"), wanted.week_start)
    return _day(Trunc("day", wanted.bucket))


def bucket_of_event(wanted: UsageFilter) -> Combinable:
    """The start of the bucket a request lies in, as the rollups cut it."""
    if wanted.bucket != "hour":
        return _instants("occurred_at", wanted)
    # Django's own would go by way of the local time, and take the hour that comes twice for one.
    return Func(
        Value("hour"),
        F("occurred_at"),
        Value(wanted.zone.key),
        function="date_trunc",
        output_field=DateTimeField(),
    )


class _Week(Func):
    """The first day of a day's week. week_start: the weekday on which weeks begin, Monday is 0."""

    template = "(date_trunc('week', (%(expressions)s - %(days)s)::timestamp)::date + %(days)s)"

    def __init__(self, day: Combinable, week_start: int, **extra: Any) -> None:
        extra["output_field"] = DateField()
        super().__init__(day, days=f"{week_start:d}", **extra)


def _instants(column: str, wanted: UsageFilter) -> Combinable:
    """The first local day of the bucket that a column's instants lie in."""
    by_week = _has_own_weeks(wanted)
    cut = "day" if by_week else wanted.bucket
    start = _day(Trunc(column, cut, output_field=DateField(), tzinfo=wanted.zone))
    return _Week(start, wanted.week_start) if by_week else start


def _has_own_weeks(wanted: UsageFilter) -> bool:
    """Whether weeks are asked for that PostgreSQL, whose weeks begin on Monday, does not cut."""
    return wanted.bucket == "week" and wanted.week_start != MONDAY


def _day(start: Combinable) -> Combinable:
    """Django truncates to an instant and makes a day of it in Python, where SQL must compare days."""
    return Cast(start, DateField())


def _named(value: Combinable) -> Combinable:
    empty, none = Value("", output_field=_TEXT), Value(NONE, output_field=_TEXT)
    return Coalesce(NullIf(value, empty), none, output_field=_TEXT)
