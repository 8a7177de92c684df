"""Answers cut for their length: how many, under which limit, and what taking them up again cost."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from accounting.domain.histograms import bucket_at
from accounting.domain.periods import month_of
from accounting.domain.ratios import ratio
from accounting.models import AnswerDay
from accounting.models.addends import ANSWERED
from accounting.models.endings import CutByLength
from accounting.queries.filters import UsageFilter
from accounting.queries.keys import hour_key
from accounting.queries.percentiles import Percentile
from accounting.queries.selection import conditions, events_of, is_of_days
from accounting.queries.turns import IS_TURN
from accounting.queries.wrapping import wrapped

MOST_LIMITS = 100
#: What is kept of answers beside the day.
_KEPT = frozenset({"model", "provider"})
#: How long after a cut answer the turn that takes it up may come, beyond the end of the range.
_AFTERWARDS = timedelta(days=1)
# Each cut answer's next turn is one probe of usageevent_session, however long the session is: said so
# that no index by time alone can answer, which a planner without statistics would take.
_CONTINUATIONS = f"""
    SELECT
        taken.currency,
        count(*) AS turns,
        coalesce(sum(taken.input_tokens), 0) AS input_tokens,
        coalesce(sum(taken.output_tokens), 0) AS output_tokens,
        coalesce(sum(taken.cost), 0) AS cost
    FROM ({{}}) AS cut
    CROSS JOIN LATERAL (
        SELECT currency, input_tokens, output_tokens, cost, occurred_at
        FROM accounting_usageevent AS e
        WHERE {ANSWERED}
          AND e.organization_id = cut.organization_id
          AND e.purpose = cut.purpose
          AND e.session_id = cut.session_id
          AND e.agent = cut.agent
          AND e.is_sidechain = cut.is_sidechain
          AND e.month >= cut.month
          AND e.month <= %s
          AND (e.session_id, e.occurred_at, e.dedupe_key)
              > (cut.session_id, cut.occurred_at, cut.dedupe_key)
        ORDER BY e.occurred_at, e.dedupe_key
        LIMIT 1
    ) AS taken
    WHERE taken.occurred_at < %s
      AND taken.input_tokens >= cut.input_tokens + cut.output_tokens
    GROUP BY 1
    ORDER BY 1
"""  # noqa: S608  a constant of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """Answers of one model under one limit of output tokens; None: the source does not tell it.

    finished: answers of which it is known how they ended, truncated among them. whole_p95: output
    tokens that 95 % of those that were not truncated did not exceed: a limit that would have done.
    From days it is what answers of about that length had on average, less than 5 % beside.
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

    answered: all that were, also those of which it is not known how they ended. is_exact: they were
    read one by one, so that whole_p95 is one of them.
    """

    rows: tuple[LimitRow, ...]
    answered: int
    finished: int
    truncated: int
    continuations: tuple[Continuations, ...]
    has_more: bool
    is_exact: bool = False

    @property
    def rate(self) -> Fraction | None:
        """Truncated / finished."""
        return ratio(self.truncated, self.finished)


def truncation(wanted: UsageFilter) -> Truncation:
    """How often answers were cut for their length. Three statements at most.

    Counted from days of answers, where only model and provider are asked for: two statements. Else
    exactly from single requests. A continuation is the next turn of the session, in the same agent's
    chain, that sends all that the truncated one sent and was answered; filters are about the truncated
    one. Slow either way: each truncated answer is found by index usageevent_cut, and what came next by
    usageevent_session.
    """
    is_exact = not (is_of_days(wanted) and {choice.name for choice in wanted.choices} <= _KEPT)
    counted, rows = _from_events(wanted) if is_exact else _from_days(wanted)
    return Truncation(
        rows=rows[:MOST_LIMITS],
        **counted,
        continuations=_continuations(wanted),
        has_more=len(rows) > MOST_LIMITS,
        is_exact=is_exact,
    )


type _Answer = tuple[Mapping[str, int], tuple[LimitRow, ...]]
type _Limit = tuple[str, str, int | None]


def _from_days(wanted: UsageFilter) -> _Answer:
    days: QuerySet[Any, Any] = AnswerDay.objects.of(wanted.organization_id).filter(
        conditions(wanted, hour_key),
        purpose=wanted.purpose,
        day__gte=wanted.start,
        day__lt=wanted.end,
    )
    names = ("provider", "model", "max_output_tokens", "ending", "bucket")
    counted = days.values_list(*names).annotate(count=Sum("requests"), tokens=Sum("output_tokens"))
    endings: dict[_Limit, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    whole: dict[_Limit, dict[int, tuple[int, int]]] = defaultdict(dict)
    for provider, model, limit, ending, bucket, count, tokens in counted.order_by():
        endings[provider, model, limit][ending] += int(count)
        if ending == "whole" and bucket != AnswerDay.UNKNOWN:
            whole[provider, model, limit][bucket] = (int(count), int(tokens))
    rows = [_limit_row(limit, found, whole[limit]) for limit, found in endings.items()]
    every = {
        "answered": sum(sum(found.values()) for found in endings.values()),
        "finished": sum(row.finished for row in rows),
        "truncated": sum(row.truncated for row in rows),
    }
    return every, tuple(sorted((row for row in rows if row.finished), key=_rank))


def _limit_row(
    limit: _Limit, endings: Mapping[str, int], whole: Mapping[int, tuple[int, int]]
) -> LimitRow:
    bucket = bucket_at({bucket: count for bucket, (count, _) in whole.items()}, 95)
    p95 = None
    if bucket is not None:
        count, tokens = whole[bucket]
        p95 = -(-tokens // count)
    provider, model, most = limit
    return LimitRow(
        provider=provider,
        model=model,
        max_output_tokens=most,
        finished=endings.get("cut", 0) + endings.get("whole", 0),
        truncated=endings.get("cut", 0),
        whole_p95=p95,
    )


def _rank(row: LimitRow) -> tuple[Any, ...]:
    """The most truncated first; of equal ones the one without a limit last, as in SQL."""
    limit = row.max_output_tokens
    return -row.truncated, -row.finished, row.provider, row.model, limit is None, limit or 0


def _from_events(wanted: UsageFilter) -> _Answer:
    turns = _turns(wanted)
    finished = Count("dedupe_key", filter=~Q(finish_reason=""))
    truncated = Count("dedupe_key", filter=Q(is_cut=True))
    whole = ~Q(finish_reason="") & Q(is_cut=False)
    counted = turns.values("provider", "model", "max_output_tokens").annotate(
        finished=finished,
        truncated=truncated,
        whole_p95=Percentile(
            "output_tokens", share="0.95", function="percentile_disc", filter=whole
        ),
    )
    order = ("-truncated", "-finished", "provider", "model", "max_output_tokens")
    rows = counted.filter(finished__gt=0).order_by(*order)[: MOST_LIMITS + 1]
    every = turns.aggregate(answered=Count("dedupe_key"), finished=finished, truncated=truncated)
    return every, tuple(LimitRow(**row) for row in rows)


def _turns(wanted: UsageFilter) -> QuerySet[Any, Any]:
    return events_of(wanted).filter(IS_TURN).annotate(is_cut=CutByLength("finish_reason"))


def _continuations(wanted: UsageFilter) -> tuple[Continuations, ...]:
    names = (
        "organization_id", "purpose", "session_id", "agent", "is_sidechain", "month", "occurred_at",
        "dedupe_key", "input_tokens", "output_tokens",
    )  # fmt: skip
    cut = _turns(wanted).filter(is_cut=True).exclude(session_id="").values(*names).order_by()
    until = wanted.ends_at + _AFTERWARDS
    return tuple(
        Continuations(
            currency=row["currency"],
            turns=row["turns"],
            input_tokens=int(row["input_tokens"]),
            output_tokens=int(row["output_tokens"]),
            cost=row["cost"],
        )
        for row in wrapped(_CONTINUATIONS, cut, after=(month_of(until), until))
    )
