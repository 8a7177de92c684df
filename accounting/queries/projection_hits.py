"""How stored projections did once their periods had ended."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from hashlib import blake2b
from typing import Any, NamedTuple

from accounting.domain.forecast_band import NOTHING_KEPT, Kept
from accounting.models import StoredProjection
from accounting.queries.filters import UsageFilter

#: So many periods back are looked at: older ones say little about how usage is today.
PERIODS_KEPT = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """How many stored projections with a band held what came, over so many ended periods.

    kept: what the next band learns from them.
    """

    periods: int = 0
    projections: int = 0
    held: int = 0
    kept: Kept = NOTHING_KEPT


NEVER_ASKED = Hits()


class _Past(NamedTuple):
    currency: str
    period_start: date
    period_end: date
    low: Decimal
    expected: Decimal
    high: Decimal
    deviation: Decimal
    scale: float | None
    actual: Decimal


_COLUMNS = _Past._fields


def past_hits(
    wanted: UsageFilter, metric: str, period: tuple[date, date], *, before: date
) -> Mapping[str, Hits]:
    """The hits of each currency over ended periods as long as this one. One statement.

    Projections of other conditions do not count.
    """
    rows: Any = (
        StoredProjection.objects.of(wanted.organization_id)
        .filter(
            scope=scope_of(wanted),
            metric=metric,
            period_end__lte=before,
            low__isnull=False,
            actual__isnull=False,
        )
        .values_list(*_COLUMNS)
    )
    found: defaultdict[str, list[_Past]] = defaultdict(list)
    for row in rows:
        past = _Past(*row)
        if _length(past.period_start, past.period_end) == _length(*period):
            found[past.currency].append(past)
    return {currency: _hits(pasts) for currency, pasts in found.items()}


def scope_of(wanted: UsageFilter) -> str:
    """The digest of what a filter asks for, its range left out: equal questions have the same."""
    told = repr((written_conditions(wanted), wanted.purpose, wanted.zone.key))
    return blake2b(told.encode(), digest_size=16).hexdigest()


def written_conditions(wanted: UsageFilter) -> list[list[str | list[str]]]:
    """A filter's conditions as they are stored."""
    return [
        [choice.name, choice.relation, sorted(choice.values)]
        for choice in sorted(wanted.choices, key=lambda one: (one.name, one.relation))
    ]


def _hits(pasts: list[_Past]) -> Hits:
    starts = sorted({past.period_start for past in pasts}, reverse=True)[:PERIODS_KEPT]
    recent = [past for past in pasts if past.period_start in starts]
    scores = [
        float(abs(past.actual - past.expected)) * past.scale / float(past.deviation)
        for past in recent
        if past.scale and past.deviation
    ]
    return Hits(
        periods=len(starts),
        projections=len(recent),
        held=sum(past.low <= past.actual <= past.high for past in recent),
        kept=Kept(scores=tuple(scores), periods=len(starts)),
    )


def _length(start: date, end: date) -> tuple[int, int]:
    """Whole calendar months, or days where it is none."""
    if start.day == end.day == 1:
        return (end.year - start.year) * 12 + end.month - start.month, 0
    return 0, (end - start).days
