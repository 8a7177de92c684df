"""Whether the books can be trusted for a range: what is unpriced, rejected, late, or missing."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise

from django.db.models import Count, Max, Min, Sum

from accounting.domain.ranges import DAY
from accounting.models import Import, Rejection, UsageHour
from accounting.models.imports import UNFINISHED_IMPORTS
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.unpriced import MissingPrice, models_without_price

MOST_LISTED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Rejected records of one code, and where one of them stands; line None: a whole file."""

    code: str
    records: int
    import_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Whole local days without usage from a source between days with some, half-open."""

    source: str
    start: date
    end: date

    @property
    def days(self) -> int:
        """How many."""
        return (self.end - self.start).days


@dataclass(frozen=True, slots=True, kw_only=True)
class DataHealth:
    """Of the range: unpriced models, rejected records, gaps. Of the moment: what waits, and the lag.

    rejected: all records of imports received in the range; by_code lists those that were kept, the
    most frequent first. gaps: the longest first. waiting_since: when the oldest import that is not
    read yet came. lag: now less the end of the newest hour with usage, never negative; None without
    any.
    """

    unpriced: tuple[MissingPrice, ...]
    rejected: int
    by_code: tuple[Rejected, ...]
    gaps: tuple[Gap, ...]
    waiting: int
    waiting_since: datetime | None
    newest_hour: datetime | None
    lag: timedelta | None


def data_health(wanted: UsageFilter) -> DataHealth:
    """How far the books can be trusted. Six statements, none of them over requests.

    The filter's range is asked about; its conditions narrow the gaps alone, because neither rejected
    records nor what waits can be told apart by them. Gaps are looked for up to today.
    """
    span = {"received_at__gte": wanted.starts_at, "received_at__lt": wanted.ends_at}
    received = Import.objects.of(wanted.organization_id).filter(**span)
    waiting = (
        Import.objects.of(wanted.organization_id)
        .filter(state__in=UNFINISHED_IMPORTS)
        .aggregate(count=Count("pk"), since=Min("received_at"))
    )
    newest = UsageHour.objects.of(wanted.organization_id).aggregate(at=Max("hour"))["at"]
    unpriced = models_without_price(
        wanted.organization_id, start=wanted.starts_at, end=wanted.ends_at
    )
    return DataHealth(
        unpriced=tuple(unpriced[:MOST_LISTED]),
        rejected=received.aggregate(count=Sum("rejected"))["count"] or 0,
        by_code=_by_code(wanted),
        gaps=_gaps(wanted),
        waiting=waiting["count"],
        waiting_since=waiting["since"],
        newest_hour=newest,
        lag=max(timedelta(0), wanted.now - newest - timedelta(hours=1)) if newest else None,
    )


def _by_code(wanted: UsageFilter) -> tuple[Rejected, ...]:
    rows = (
        Rejection.objects.of(wanted.organization_id)
        .filter(
            source_import__received_at__gte=wanted.starts_at,
            source_import__received_at__lt=wanted.ends_at,
        )
        .values("code")
        .annotate(records=Count("pk"), newest=Max("source_import_id"))
        .order_by("-records", "code")[:MOST_LISTED]
    )
    return tuple(
        Rejected(code=row["code"], records=row["records"], import_id=row["newest"]) for row in rows
    )


def _gaps(wanted: UsageFilter) -> tuple[Gap, ...]:
    rows = summed(replace(wanted, bucket="day"), ("source",), ()).rows
    days: dict[str, list[date]] = defaultdict(list)
    for row in rows:
        days[row["key_1"]].append(row["key_0"])
    found = [gap for source, used in days.items() for gap in _between(source, sorted({*used}))]
    found.sort(key=lambda gap: (-gap.days, gap.source, gap.start))
    return tuple(found[:MOST_LISTED])


def _between(source: str, used: Sequence[date]) -> list[Gap]:
    return [
        Gap(source=source, start=one + DAY, end=other)
        for one, other in pairwise(used)
        if other - one > DAY
    ]
