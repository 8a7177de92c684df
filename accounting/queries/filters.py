"""The one filter: the address's grammar as a frozen value that every question is asked with."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from django.db.models import Min

from accounting.domain import ranges
from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, day_of, day_start
from accounting.domain.usage import PURPOSES
from accounting.models import Organization, UsageHour

#: What rows can be grouped and filtered by.
DIMENSIONS = ("model", "provider", "project", "key", "user", "source", "status")
METRICS = (
    "cost",
    "credits",
    "requests",
    "errors",
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "input_output_ratio",
    "cache_hit_rate",
)
COMPARISONS = ("prev", "yoy", "none")
RELATIONS = {"": "is", "!": "is_not", "~": "contains"}
MOST_POINTS = 10_000
MOST_VALUES = 100
LONGEST_VALUE = 200
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
#: Parameters of one value -> the words that are allowed ('' stands for leaving it out).
WORDS: dict[str, tuple[str, ...]] = {
    "range": ranges.RANGES,
    "group": DIMENSIONS,
    "sub": DIMENSIONS,
    "bucket": ranges.BUCKETS,
    "metric": METRICS,
    "compare": COMPARISONS,
    "purpose": PURPOSES,
}
DAYS = ("from", "to")
PARAMETERS = (
    *DAYS,
    *WORDS,
    *(f"{name}{mark}" for name in DIMENSIONS for mark in RELATIONS),
)


class FilterError(ValueError):
    """A parameter that can't be answered.

    code: a stable word for programs. parameter: which one. The message is for people.
    """

    def __init__(self, code: str, reason: str, parameter: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.parameter = parameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One condition: the dimension is one of the values, none of them, or contains any of them.

    Values of project are slugs, of key names; '' is "has none".
    """

    name: str
    relation: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFilter:
    """Which usage is asked for, and how it is cut.

    start, end: local days of the organization, half-open; starts_at, ends_at: their instants, which
    for a comparison end at the same hour as the unfinished range it is compared with.
    range: the name in the address, '' where from and to were given. group, sub, bucket: '' is none.
    """

    organization_id: int
    zone: ZoneInfo
    currency: str
    now: datetime
    range: str
    start: date
    end: date
    starts_at: datetime
    ends_at: datetime
    group: str = ""
    sub: str = ""
    bucket: str = ""
    metric: str = "cost"
    compare: str = "prev"
    purpose: str = "usage"
    choices: tuple[Choice, ...] = ()

    @property
    def is_unfinished(self) -> bool:
        """Whether more usage may still come: the range ends after now."""
        return self.ends_at > self.now

    @property
    def buckets(self) -> tuple[date | datetime, ...]:
        """Every bucket of the range in order, empty ones too: days, or instants of hours."""
        if self.bucket == "hour":
            return ranges.hour_starts(self.start, self.end, self.zone)
        return ranges.bucket_starts(self.start, self.end, self.bucket or "day")


def usage_filter(
    params: Mapping[str, Sequence[str]],
    organization: Organization,
    now: datetime,
    *,
    also: Sequence[str] = (),
) -> UsageFilter:
    """The filter that an address, a call or a command means; without any range, month to date.

    params: each parameter's values, as in dict(request.GET.lists()). also: names that the caller
    reads itself. Raises FilterError for anything else it can't read. Asks the database only for
    range=all: one statement.
    """
    for name in params:
        if name not in PARAMETERS and name not in also:
            raise FilterError("unknown_parameter", f"{name[:80]!r} is no parameter here", name[:80])
    words = {name: _word(params, name) for name in WORDS}
    zone = ZoneInfo(organization.time_zone)
    start, end = _days(params, words["range"], organization, now)
    if words["sub"] and not words["group"]:
        raise FilterError("sub_without_group", "sub needs a group", "sub")
    if words["sub"] and words["sub"] == words["group"]:
        raise FilterError("sub_is_group", "sub must differ from group", "sub")
    wanted = UsageFilter(
        organization_id=organization.pk,
        zone=zone,
        currency=organization.currency,
        now=now.astimezone(UTC),
        range="" if params.get("from") else words["range"] or "mtd",
        start=start,
        end=end,
        starts_at=day_start(start, zone),
        ends_at=day_start(end, zone),
        group=words["group"],
        sub=words["sub"],
        bucket=words["bucket"],
        metric=words["metric"] or "cost",
        compare=words["compare"] or "prev",
        purpose=words["purpose"] or "usage",
        choices=_choices(params),
    )
    if wanted.bucket and len(wanted.buckets) > MOST_POINTS:
        raise FilterError(
            "too_many_points",
            f"{len(wanted.buckets)} buckets of one {wanted.bucket}, at most {MOST_POINTS}",
            "bucket",
        )
    return wanted


def _word(params: Mapping[str, Sequence[str]], name: str) -> str:
    value = _single(params, name)
    if value and value not in WORDS[name]:
        allowed = ", ".join(WORDS[name])
        raise FilterError(f"unknown_{name}", f"{name}={value[:80]!r}, expected {allowed}", name)
    return value


def _single(params: Mapping[str, Sequence[str]], name: str) -> str:
    values = params.get(name, ())
    if len(values) > 1:
        raise FilterError("repeated_parameter", f"{name} is given {len(values)} times", name)
    return values[0] if values else ""


def _days(
    params: Mapping[str, Sequence[str]], name: str, organization: Organization, now: datetime
) -> tuple[date, date]:
    start, end = (_day(params, which) for which in DAYS)
    today = day_of(now, ZoneInfo(organization.time_zone))
    if not start and not end:
        first = first_day(organization) if name == "all" else None
        return ranges.named_range(name or "mtd", today, first or today)
    if name:
        raise FilterError("range_and_days", "give range, or from and to, not both", "range")
    if not start:
        raise FilterError("missing_from", "to needs a from", "from")
    end = end or today + ranges.DAY
    if start >= end:
        raise FilterError(
            "range_reversed", f"to = {end} is exclusive and must lie after from = {start}", "to"
        )
    return start, end


def _day(params: Mapping[str, Sequence[str]], name: str) -> date | None:
    text = _single(params, name)
    if not text:
        return None
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not date(FIRST_YEAR, 1, 1) <= day <= date(LAST_YEAR + 1, 1, 1):
        raise FilterError(
            "bad_date", f"{name}={text[:40]!r}, expected a day {FIRST_YEAR}-01-01 or later", name
        )
    return day


def _choices(params: Mapping[str, Sequence[str]]) -> tuple[Choice, ...]:
    choices = []
    for name in DIMENSIONS:
        for mark, relation in RELATIONS.items():
            values = tuple(dict.fromkeys(params.get(name + mark, ())))
            if len(values) > MOST_VALUES or any(
                len(value) > LONGEST_VALUE or "\0" in value for value in values
            ):
                raise FilterError(
                    "bad_value",
                    f"{name}: at most {MOST_VALUES} values of {LONGEST_VALUE} characters, no NUL",
                    name + mark,
                )
            if values:
                choices.append(Choice(name=name, relation=relation, values=values))
    return tuple(choices)


def first_day(organization: Organization) -> date | None:
    """The local day of the organization's earliest usage, None while there is none."""
    earliest = UsageHour.objects.of(organization.pk).aggregate(at=Min("hour"))["at"]
    return day_of(earliest, ZoneInfo(organization.time_zone)) if earliest else None
