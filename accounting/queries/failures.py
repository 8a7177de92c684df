"""Requests that failed: where, why, and what trying again cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
    Window,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Concat, Lag, NullIf

from accounting.domain.ratios import ratio
from accounting.models import UsageEvent
from accounting.queries.filters import UsageFilter
from accounting.queries.selection import conditions, events_between, events_of
from accounting.queries.turns import IN_ORDER
from accounting.queries.wrapping import wrapped

MOST_CAUSES = 100
#: A retry may come so long after the end of the range.
_AFTERWARDS = timedelta(days=1)
_ENDED = ("ok", "cancelled", "error")
_RETRIES = """
    SELECT
        currency,
        count(*) AS retries,
        count(*) FILTER (WHERE status <> 'error') AS answered,
        count(*) FILTER (WHERE model <> before_model) AS elsewhere,
        coalesce(sum(cost), 0) AS cost
    FROM ({}) AS requests
    WHERE before_status = 'error' AND before_is_asked
    GROUP BY currency
    ORDER BY currency
"""


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
    """What failed and what it cost. Five statements.

    No rollup knows causes, so single requests are read: it is slow. A retry is the next request of
    the same trace, else of the same turn, else of the same session; filters are about the one that
    failed.
    """
    ended = events_of(wanted).filter(part=0, status__in=_ENDED)
    failed = ended.filter(status="error")
    causes = list(_by(failed, "error_origin", "http_status", "error_type")[: MOST_CAUSES + 1])
    counted = ended.aggregate(ended=Count("dedupe_key"), errors=Count("dedupe_key", filter=_FAILED))
    return Failures(
        **counted,
        origins=tuple(
            Origin(origin=row["error_origin"], errors=row["errors"])
            for row in _by(failed, "error_origin")
        ),
        causes=tuple(_cause(row) for row in causes[:MOST_CAUSES]),
        lost=_lost(failed),
        retries=_retries(wanted, failed),
        has_more=len(causes) > MOST_CAUSES,
    )


_FAILED = Q(status="error")


def _by(failed: QuerySet[UsageEvent], *names: str) -> QuerySet[Any, Any]:
    grouped: QuerySet[Any, Any] = failed.values(*names).annotate(errors=Count("dedupe_key"))
    return grouped.order_by("-errors", *names)


def _cause(row: Mapping[str, Any]) -> Cause:
    return Cause(
        origin=row["error_origin"],
        http_status=row["http_status"],
        error_type=row["error_type"],
        errors=row["errors"],
    )


def _lost(failed: QuerySet[UsageEvent]) -> tuple[Lost, ...]:
    used = Q(cost__gt=0) | Q(unpriced_tokens__gt=0)
    charged: QuerySet[Any, Any] = failed.filter(used).values("currency")
    rows = charged.annotate(errors=Count("dedupe_key"), lost=Sum("cost")).order_by("currency")
    return tuple(
        Lost(currency=row["currency"], errors=row["errors"], cost=row["lost"] or Decimal(0))
        for row in rows
    )


def _chain() -> Combinable:
    """What ties a request to the one it tries again; NULL where nothing does."""
    turn = Concat(F("session_id"), Value(" "), NullIf(F("turn_id"), Value("")))
    return Coalesce(NullIf(F("trace_id"), Value("")), NullIf(turn, Value(" ")))


def _retries(wanted: UsageFilter, failed: QuerySet[UsageEvent]) -> tuple[Retries, ...]:
    """Read from every request of the chains in which one failed, whatever the filter."""
    end = wanted.ends_at
    broken = failed.annotate(chain=_chain()).filter(chain=OuterRef("chain"))
    nearby = events_between(wanted, wanted.starts_at, end + _AFTERWARDS).filter(
        part=0, status__in=_ENDED
    )
    asked = conditions(wanted) & Q(occurred_at__lt=end)
    told = {"status": F("status"), "model": F("model"), "is_asked": F("is_asked")}
    chained = (
        nearby.annotate(chain=_chain())
        .filter(Exists(broken))
        .annotate(
            is_asked=Case(
                When(asked, then=Value(value=True)),
                default=Value(value=False),
                output_field=BooleanField(),
            )
        )
        .annotate(
            **{
                f"before_{name}": Window(Lag(value), partition_by=[F("chain")], order_by=IN_ORDER)
                for name, value in told.items()
            }
        )
    )
    names = ("currency", "cost", "status", "model", *(f"before_{name}" for name in told))
    rows = wrapped(_RETRIES, chained.values(*names).order_by())
    return tuple(Retries(**row) for row in rows)
