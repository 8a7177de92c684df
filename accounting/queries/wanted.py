"""What is asked of the books, as a frozen value: which usage, and how it is cut."""

from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from accounting.domain import ranges
from accounting.queries.choices import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFilter:
    """Which usage is asked for, and how it is cut.

    start, end: local days of the organization, half-open; starts_at, ends_at: their instants, which
    for a comparison end at the same hour as the unfinished range it is compared with.
    range: the name in the address, '' where from and to were given. group, sub, bucket: '' is none.
    tz: another zone whose days were asked for, '' is the organization's own; zone is the one that
    holds. weekday: '1' compares with days of the same weekdays. only: the slug of the one project
    that whoever asks may see, '' for all; it stands among choices too. week_start: the weekday on
    which the organization's weeks begin, Monday is 0.
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
    weekday: str = ""
    purpose: str = "usage"
    tz: str = ""
    choices: tuple[Choice, ...] = ()
    only: str = ""
    week_start: int = ranges.MONDAY

    @property
    def is_unfinished(self) -> bool:
        """Whether more usage may still come: the range ends after now."""
        return self.ends_at > self.now

    @property
    def buckets(self) -> tuple[date | datetime, ...]:
        """Every bucket of the range in order, empty ones too: days, or instants of hours."""
        if self.bucket == "hour":
            return ranges.hour_starts(self.start, self.end, self.zone)
        return ranges.bucket_starts(self.start, self.end, self.bucket or "day", self.week_start)
