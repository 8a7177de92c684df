"""How much each source tells of what was used: where usage is missing, sums are too small."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from django.db.models import Count, Q, QuerySet

from accounting.domain.ratios import ratio
from accounting.queries.filters import UsageFilter
from accounting.queries.selection import events_of
from accounting.queries.turns import IS_TURN


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCoverage:
    """Answered requests of one source by how much it told of their usage.

    missing: neither input nor output; partial: one of them; estimated: counted by somebody else.
    """

    source: str
    answered: int
    reported: int
    estimated: int
    partial: int
    missing: int

    @property
    def missing_share(self) -> Fraction | None:
        """Requests without usage / answered requests."""
        return ratio(self.missing, self.answered)


def usage_coverage(wanted: UsageFilter) -> tuple[SourceCoverage, ...]:
    """Sources with the most requests without usage first. One statement over requests: it is slow.

    The hourly rollup counts what was told, but also parts and corrections, which tell of no request.
    """
    grouped: QuerySet[Any, Any] = events_of(wanted).filter(IS_TURN).values("source")
    states = ("reported", "estimated", "partial", "missing")
    counted = grouped.annotate(
        answered=Count("dedupe_key"),
        **{state: Count("dedupe_key", filter=Q(usage_state=state)) for state in states},
    )
    return tuple(
        SourceCoverage(**row) for row in counted.order_by("-missing", "-answered", "source")
    )
