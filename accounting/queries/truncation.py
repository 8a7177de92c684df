"""Answers cut for their length: how many, under which limit, and what taking them up again cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import Case, Count, Q, QuerySet, Subquery, Value, When

from accounting.domain.ratios import ratio
from accounting.queries.filters import UsageFilter
from accounting.queries.latency import Percentile
from accounting.queries.selection import conditions, events_between, events_of
from accounting.queries.turns import IS_TURN, cut_by_length, with_turn_before
from accounting.queries.wrapping import wrapped

MOST_LIMITS = 100
#: How long after a cut answer the turn that takes it up may come, beyond the end of the range.
_AFTERWARDS = timedelta(days=1)
_CONTINUATIONS = """
    SELECT
        currency,
        count(*) AS turns,
        coalesce(sum(input_tokens), 0) AS input_tokens,
        coalesce(sum(output_tokens), 0) AS output_tokens,
        coalesce(sum(cost), 0) AS cost
    FROM ({}) AS turns
    WHERE before_is_cut AND before_is_asked AND input_tokens >= before_input + before_output
    GROUP BY currency
    ORDER BY currency
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """Answers of one model under one limit of output tokens; None: the source does not tell it.

    finished: answers of which it is known how they ended, truncated among them. whole_p95: output
    tokens that 95 % of those that were not truncated did not exceed: a limit that would have done.
    """

    provider: str
    model: str
    max_output_tokens: int | None
    finished: int
    truncated: int
    whole_p95: int | None

    @property
    def rate(self) -> Fraction | None:
        """Truncated / finished."""
        return ratio(self.truncated, self.finished)


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuations:
    """Turns that took up a truncated answer, in one currency ('': without a price)."""

    currency: str
    turns: int
    input_tokens: int
    output_tokens: int
    cost: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """Rows with the most truncated answers first; whole is the filter's, whatever rows were left off.

    answered: all that were, also those of which it is not known how they ended.
    """

    rows: tuple[LimitRow, ...]
    answered: int
    finished: int
    truncated: int
    continuations: tuple[Continuations, ...]
    has_more: bool

    @property
    def rate(self) -> Fraction | None:
        """Truncated / finished."""
        return ratio(self.truncated, self.finished)


def truncation(wanted: UsageFilter) -> Truncation:
    """How often answers were cut for their length. Three statements.

    No rollup knows how answers end, so single requests are read: it is slow. A continuation is the
    next turn of the session, in the same agent's chain, that sends all that the truncated one sent
    and was answered; filters are about the truncated one.
    """
    turns: QuerySet[Any, Any] = events_of(wanted).filter(IS_TURN).annotate(is_cut=cut_by_length())
    whole = turns.aggregate(
        answered=Count("dedupe_key"), finished=_finished(), truncated=_truncated()
    )
    rows = _by_limit(turns)
    return Truncation(
        rows=tuple(_row(row) for row in rows[:MOST_LIMITS]),
        **whole,
        continuations=_continuations(wanted, turns),
        has_more=len(rows) > MOST_LIMITS,
    )


def _by_limit(turns: QuerySet[Any, Any]) -> list[Mapping[str, Any]]:
    grouped: QuerySet[Any, Any] = turns.values("provider", "model", "max_output_tokens")
    whole = ~Q(finish_reason="") & Q(is_cut=False)
    counted = grouped.annotate(
        finished=_finished(),
        truncated=_truncated(),
        whole_p95=Percentile(
            "output_tokens", share="0.95", function="percentile_disc", filter=whole
        ),
    )
    order = ("-truncated", "-finished", "provider", "model", "max_output_tokens")
    return list(counted.filter(finished__gt=0).order_by(*order)[: MOST_LIMITS + 1])


def _finished() -> Count:
    return Count("dedupe_key", filter=~Q(finish_reason=""))


def _truncated() -> Count:
    return Count("dedupe_key", filter=Q(is_cut=True))


def _row(row: Mapping[str, Any]) -> LimitRow:
    return LimitRow(**{name: row[name] for name in LimitRow.__slots__})


def _continuations(wanted: UsageFilter, turns: QuerySet[Any, Any]) -> tuple[Continuations, ...]:
    """Read from all turns of the sessions in which an answer was truncated, whatever the filter."""
    cut = turns.filter(is_cut=True).exclude(session_id="").values("session_id")
    start, end = wanted.starts_at, wanted.ends_at
    nearby = events_between(wanted, start, end + _AFTERWARDS).filter(
        IS_TURN, session_id__in=Subquery(cut)
    )
    asked = conditions(wanted) & Q(occurred_at__lt=end)
    chained = with_turn_before(
        nearby, is_asked=Case(When(asked, then=Value(value=True)), default=Value(value=False))
    )
    names = (
        "currency", "cost", "input_tokens", "output_tokens", "before_input", "before_output",
        "before_is_cut", "before_is_asked",
    )  # fmt: skip
    return tuple(
        Continuations(
            currency=row["currency"],
            turns=row["turns"],
            input_tokens=int(row["input_tokens"]),
            output_tokens=int(row["output_tokens"]),
            cost=row["cost"],
        )
        for row in wrapped(_CONTINUATIONS, chained.values(*names).order_by())
    )
