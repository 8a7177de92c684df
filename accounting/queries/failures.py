"""Requests that failed: where, why, and what trying again cost."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import Count, Q, QuerySet, Sum

from accounting.domain.periods import month_of
from accounting.domain.ratios import ratio
from accounting.models import UsageEvent
from accounting.queries.filters import UsageFilter
from accounting.queries.selection import events_of
from accounting.queries.spend import usage_totals
from accounting.queries.wrapping import wrapped

MOST_CAUSES = 100
#: A retry may come so long after the end of the range.
_AFTERWARDS = timedelta(days=1)
_NEXT = """
    SELECT currency, cost, status, model, occurred_at
    FROM accounting_usageevent AS e
    WHERE e.part = 0
      AND e.status IN ('ok', 'cancelled', 'error')
      AND e.organization_id = failed.organization_id
      AND e.purpose = failed.purpose
      AND e.month >= failed.month
      AND e.month <= limits.month
      AND (e.{name}, e.occurred_at, e.dedupe_key)
          > (failed.{name}, failed.occurred_at, failed.dedupe_key)
      AND e.{name} = failed.{name}
      AND {same}
    ORDER BY e.occurred_at, e.dedupe_key
    LIMIT 1
"""
_OF_TRACE = "failed.trace_id <> '' AND e.trace_id <> ''"
_OF_TURN = """failed.trace_id = '' AND e.trace_id = ''
    AND failed.session_id <> '' AND e.turn_id = failed.turn_id"""
# What came next after each failed one is one probe of usageevent_trace or usageevent_session: said so
# that no index by time alone can answer, which a planner without statistics would take.
_RETRIES = f"""
    SELECT
        retry.currency,
        count(*) AS retries,
        count(*) FILTER (WHERE retry.status <> 'error') AS answered,
        count(*) FILTER (WHERE retry.model <> failed.model) AS elsewhere,
        coalesce(sum(retry.cost), 0) AS cost
    FROM ({{}}) AS failed
    CROSS JOIN (SELECT %s::date AS month, %s::timestamptz AS until) AS limits
    CROSS JOIN LATERAL (
        ({_NEXT.format(name="trace_id", same=_OF_TRACE)})
        UNION ALL ({_NEXT.format(name="session_id", same=_OF_TURN)})
    ) AS retry
    WHERE retry.occurred_at < limits.until
    GROUP BY 1
    ORDER BY 1
"""  # noqa: S608  a constant of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Failures with one origin (gateway, upstream, client, '' unknown), HTTP status and type."""

    origin: str
    http_status: int | None
    error_type: str
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """All failures of one origin."""

    origin: str
    errors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """What failed requests that used something cost themselves, in one currency ('': no price)."""

    currency: str
    errors: int
    cost: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Requests that came next after a failed one, in one currency ('': without a price).

    answered: those that did not fail again; elsewhere: those that went to another model.
    """

    currency: str
    retries: int
    answered: int
    elsewhere: int
    cost: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Origins and causes with the most errors first; ended: all requests that did, failed or not."""

    ended: int
    errors: int
    origins: tuple[Origin, ...]
    causes: tuple[Cause, ...]
    lost: tuple[Lost, ...]
    retries: tuple[Retries, ...]
    has_more: bool

    @property
    def rate(self) -> Fraction | None:
        """Errors / all that ended."""
        return ratio(self.errors, self.ended)


def failures(wanted: UsageFilter) -> Failures:
    """What failed and what it cost. Four statements.

    How many, a rollup knows; causes and retries are read from the failed requests, by index
    usageevent_failed, which is slow where they are many. A retry is the next request of the same
    trace, else of the same turn of a session, else of the same session; filters are about the one
    that failed.
    """
    totals = usage_totals(wanted)
    failed = events_of(wanted).filter(part=0, status="error")
    causes = _causes(failed)
    return Failures(
        ended=totals.requests + totals.errors,
        errors=totals.errors,
        origins=_origins(causes),
        causes=causes[:MOST_CAUSES],
        lost=_lost(failed),
        retries=_retries(wanted, failed),
        has_more=len(causes) > MOST_CAUSES,
    )


def _causes(failed: QuerySet[UsageEvent]) -> tuple[Cause, ...]:
    names = ("error_origin", "http_status", "error_type")
    grouped: QuerySet[Any, Any] = failed.values(*names).annotate(errors=Count("dedupe_key"))
    return tuple(
        Cause(
            origin=row["error_origin"],
            http_status=row["http_status"],
            error_type=row["error_type"],
            errors=row["errors"],
        )
        for row in grouped.order_by("-errors", *names)
    )


def _origins(causes: tuple[Cause, ...]) -> tuple[Origin, ...]:
    errors: dict[str, int] = defaultdict(int)
    for cause in causes:
        errors[cause.origin] += cause.errors
    ranked = sorted(errors.items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(Origin(origin=origin, errors=count) for origin, count in ranked)


def _lost(failed: QuerySet[UsageEvent]) -> tuple[Lost, ...]:
    used = Q(cost__gt=0) | Q(unpriced_tokens__gt=0)
    charged: QuerySet[Any, Any] = failed.filter(used).values("currency")
    rows = charged.annotate(errors=Count("dedupe_key"), lost=Sum("cost")).order_by("currency")
    return tuple(
        Lost(currency=row["currency"], errors=row["errors"], cost=row["lost"] or Decimal(0))
        for row in rows
    )


def _retries(wanted: UsageFilter, failed: QuerySet[UsageEvent]) -> tuple[Retries, ...]:
    names = (
        "organization_id", "purpose", "trace_id", "session_id", "turn_id", "model", "month",
        "occurred_at", "dedupe_key",
    )  # fmt: skip
    until = wanted.ends_at + _AFTERWARDS
    rows = wrapped(_RETRIES, failed.values(*names).order_by(), after=(month_of(until), until))
    return tuple(Retries(**row) for row in rows)
