"""Sessions: what each used and cost, and the ratio of input to output over all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import batched, groupby
from typing import Any

from django.db.models import Aggregate, Count, DecimalField, F, Max, Min, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Coalesce, NullIf

from accounting.models import SessionTotal
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.selection import sessions_of
from accounting.queries.snapshots import CHUNK_ROWS
from accounting.queries.totals import Totals, sums, totals_of

#: What a session table can be ordered by; '-' in front is downwards. cost: in the organization's
#: currency at the day's exchange rate, as the only one in which sessions compare.
ORDERS = ("started", "ended", "requests", "input", "cached", "output", "ratio", "cost")
DEFAULT_ORDER = "-started"
#: Ratios leave SQL as numbers of this unit, so that its division keeps 20 more digits.
RATIO_UNIT = 10**20
type SessionKey = tuple[datetime | int | Decimal, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """One session from its first to its last request."""

    session_id: str
    started_at: datetime
    ended_at: datetime
    totals: Totals
    key: SessionKey

    @property
    def duration(self) -> timedelta:
        """From the start of its first request to the end of its last."""
        # Two moments of one zone are subtracted as its clocks show them, whatever they did meanwhile.
        return self.ended_at.astimezone(UTC) - self.started_at.astimezone(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """How many sessions there are and the median of their input / output.

    ratio_median: over the sessions that have output; None where none has. with_ratio: how many have.
    """

    sessions: int
    with_ratio: int
    ratio_median: Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTable:
    """One page of sessions; totals and summary are of the whole filter, never of the page."""

    wanted: UsageFilter
    order: str
    rows: tuple[SessionRow, ...]
    totals: Totals
    summary: SessionSummary
    has_more: bool


_READ = ("session_id", "started", "ended", "order_value")


class Middle(Aggregate):
    """The lower middle value of a column; of the descending column it is the upper one."""

    function = "percentile_disc"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"


def session_table(
    wanted: UsageFilter,
    *,
    order: str = DEFAULT_ORDER,
    limit: int = 50,
    after: SessionKey | None = None,
) -> SessionTable:
    """The sessions that started in the range, one page of them. Four statements.

    order: of ORDERS, with '-' in front for downwards; equal ones by session id. after: the key of the
    row before the page.
    """
    page, downwards = _ordered(wanted, order)
    if after is not None:
        page = page.filter(_behind(after, downwards=downwards))
    found = list(page.values_list(*_READ)[: limit + 1])
    return SessionTable(
        wanted=wanted,
        order=order,
        rows=tuple(_rows(wanted, found[:limit])),
        totals=session_totals(wanted),
        summary=session_summary(wanted),
        has_more=len(found) > limit,
    )


def each_session(wanted: UsageFilter, order: str = DEFAULT_ORDER) -> Iterator[SessionRow]:
    """All sessions of a filter, of which few are held. To be asked in a snapshot."""
    ordered, _ = _ordered(wanted, order)
    keys = ordered.values_list(*_READ).iterator(CHUNK_ROWS)
    for found in batched(keys, CHUNK_ROWS, strict=False):
        yield from _rows(wanted, found)


def session_totals(wanted: UsageFilter) -> Totals:
    """Sums over every session that started in the range. One statement."""
    return totals_of(sessions_of(wanted).values("currency").annotate(**sums()))


def session_summary(wanted: UsageFilter) -> SessionSummary:
    """How many sessions, and the median of their input / output. One statement."""
    found = _with_ratio(_grouped(wanted)).aggregate(
        sessions=Count("session_id"),
        with_ratio=Count("ratio"),
        lower=Middle("ratio"),
        upper=Middle(F("ratio") * -1),
    )
    median = None
    if found["lower"] is not None:
        median = (Fraction(found["lower"]) - Fraction(found["upper"])) / (2 * RATIO_UNIT)
    return SessionSummary(
        sessions=found["sessions"], with_ratio=found["with_ratio"], ratio_median=median
    )


def _ordered(wanted: UsageFilter, order: str) -> tuple[QuerySet[SessionTotal, Any], bool]:
    """A filter's sessions in an order, and whether that goes downwards. Raises FilterError."""
    column, downwards = _order(order)
    direction = "-" if downwards else ""
    sessions = _with_ratio(_grouped(wanted)).annotate(order_value=F(column))
    return sessions.order_by(f"{direction}order_value", f"{direction}session_id"), downwards


def _rows(wanted: UsageFilter, found: Sequence[tuple[Any, ...]]) -> Iterator[SessionRow]:
    totals = _totals_by_session(wanted, [row[0] for row in found])
    for session_id, started, ended, value in found:
        yield SessionRow(
            session_id=session_id,
            started_at=started.astimezone(wanted.zone),
            ended_at=ended.astimezone(wanted.zone),
            totals=totals[session_id],
            key=(value, session_id),
        )


def _grouped(wanted: UsageFilter) -> QuerySet[SessionTotal, Any]:
    return (
        sessions_of(wanted)
        .values("session_id")
        .annotate(started=Min("started_at"), ended=Max("ended_at"))
    )


def _with_ratio(sessions: QuerySet[SessionTotal, Any]) -> QuerySet[SessionTotal, Any]:
    number: DecimalField[Any, Any] = DecimalField()
    return sessions.annotate(
        request_count=Sum("requests"),
        input=Sum("input_tokens"),
        cached=Sum("cache_read_input_tokens"),
        output=Sum("output_tokens"),
        base=Sum("cost_base"),
        known=NullIf(Sum("known_input_tokens"), 0),
    ).annotate(
        ratio=Cast(F("input"), number) * RATIO_UNIT / NullIf(F("output"), 0)
        + Cast(F("known") * 0, number),
        ratio_or_none=Coalesce(F("ratio"), Value(-1, output_field=number)),
    )


def _totals_by_session(wanted: UsageFilter, session_ids: Iterable[str]) -> dict[str, Totals]:
    rows = (
        SessionTotal.objects.of(wanted.organization_id)
        .filter(purpose=wanted.purpose, session_id__in=list(session_ids))
        .values("session_id", "currency")
        .annotate(**sums())
        .order_by("session_id")
    )
    return {
        session_id: totals_of(parts)
        for session_id, parts in groupby(rows, key=lambda row: row["session_id"])
    }


def _order(order: str) -> tuple[str, bool]:
    name = order.removeprefix("-")
    columns = {"requests": "request_count", "ratio": "ratio_or_none", "cost": "base"}
    if name not in ORDERS:
        raise FilterError(
            "unknown_order", f"order={order[:40]!r}, expected {', '.join(ORDERS)}", "order"
        )
    return columns.get(name, name), order.startswith("-")


def _behind(after: SessionKey, *, downwards: bool) -> Q:
    value, session_id = after
    beyond = "lt" if downwards else "gt"
    return Q(**{f"order_value__{beyond}": value}) | Q(
        order_value=value, **{f"session_id__{beyond}": session_id}
    )
