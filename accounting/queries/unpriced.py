"""Which models were used without a price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.db.models import Max, Q, QuerySet, Sum

from accounting.domain.ranges import DAY
from accounting.models import UsageDayAttribute, UsageHour
from accounting.queries.grammar import EVERY

_IS_UNPRICED = Q(unpriced_requests__gt=0) | Q(unpriced_tokens__gt=0)
#: No zone is farther from UTC.
FARTHEST_ZONE = timedelta(hours=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPrice:
    """A model that was used without a price for everything it used.

    benchmark_requests: those of unpriced_requests that benchmarks made, which pages of usage leave out.
    """

    provider: str
    model: str
    requests: int
    unpriced_requests: int
    unpriced_tokens: int
    last_hour: datetime
    benchmark_requests: int = 0


def models_without_price(
    organization_id: int, *, start: datetime | None = None, end: datetime | None = None
) -> list[MissingPrice]:
    """Models used with something unpriced, those with the most unpriced requests first.

    One statement for the hours of a span, which has both ends. Of all time days say which and how
    much, and a second statement when it was last.
    """
    hours = UsageHour.objects.of(organization_id)
    if start is not None and end is not None:
        found = _unpriced(hours.filter(hour__gte=start, hour__lt=end), "hour")
        last_hours = {(row["provider"], row["model"]): row["last"] for row in found}
    else:
        days = UsageDayAttribute.objects.of(organization_id).filter(attribute=EVERY)
        found = _unpriced(days, "day")
        last = hours.filter(_IS_UNPRICED, _hours_of_days(found)).values("provider", "model")
        last_hours = {
            (row["provider"], row["model"]): row["last"] for row in last.annotate(last=Max("hour"))
        }
    return [
        MissingPrice(
            provider=row["provider"],
            model=row["model"],
            requests=row["total_requests"],
            unpriced_requests=row["total_unpriced"],
            unpriced_tokens=row["total_tokens"],
            last_hour=last_hours[row["provider"], row["model"]],
            benchmark_requests=row["total_benchmark"],
        )
        for row in found
        if (row["provider"], row["model"]) in last_hours  # an import may have been undone meanwhile
    ]


def _unpriced(rows: QuerySet[Any], time: str) -> list[dict[str, Any]]:
    sums = (
        rows.values("provider", "model")
        .annotate(
            total_requests=Sum("requests"),
            total_unpriced=Sum("unpriced_requests"),
            total_tokens=Sum("unpriced_tokens"),
            total_benchmark=Sum("unpriced_requests", filter=Q(purpose="benchmark"), default=0),
            last=Max(time, filter=_IS_UNPRICED),
        )
        .filter(Q(total_unpriced__gt=0) | Q(total_tokens__gt=0))
        .order_by("-total_unpriced", "-total_tokens", "provider", "model")
    )
    return list(sums)


def _hours_of_days(rows: Sequence[Mapping[str, Any]]) -> Q:
    """The hours of each model's last day, whatever zone it is a day of: none of it comes later."""
    models: dict[date, list[str]] = {}
    for row in rows:
        models.setdefault(row["last"], []).append(row["model"])
    found = Q(pk__in=[])
    for day, names in models.items():
        midnight = datetime.combine(day, time(), UTC)
        found |= Q(
            hour__gte=midnight - FARTHEST_ZONE,
            hour__lt=midnight + DAY + FARTHEST_ZONE,
            model__in=names,
        )
    return found
