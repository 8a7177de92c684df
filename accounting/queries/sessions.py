"""Sessions: what each used and cost, and the ratio of input to output over all of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import batched, groupby
from typing import Any

from django.db.models import Case, DecimalField, F, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, NullIf

from accounting.domain.ratios import fraction_of
from accounting.models import SessionTotal, SessionWhole
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.selection import session_sums_of, sessions_of
from accounting.queries.snapshots import CHUNK_ROWS
from accounting.queries.totals import Totals, sums, totals_of
from accounting.queries.wrapping import wrapped

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


#: Ratios are sorted as binary fractions, which equal ratios share: the lower middle, and the upper, which is
#: the same one where their number is odd.
_RATIOS = """
    SELECT input_tokens, output_tokens,
           CASE WHEN known_input_tokens > 0 AND output_tokens > 0
                THEN input_tokens::float8 / output_tokens END AS ratio
    FROM ({}) AS sessions
"""
_MEDIAN = f"""
    SELECT count(*) AS sessions, count(ratio) AS with_ratio, max(output_tokens) AS most_output,
           percentile_disc(ARRAY[0.5, 0.500000001]) WITHIN GROUP (ORDER BY ratio) AS middle
    FROM ({_RATIOS}) AS told
"""  # noqa: S608
_OF_RATIO = f"SELECT * FROM ({_RATIOS}) AS told WHERE ratio = %s LIMIT 1"  # noqa: S608
_READ = ("session_id", "started_at", "ended_at", "order_value")


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
    return totals_of(session_sums_of(wanted).values("currency").annotate(**sums()).order_by())


def session_summary(wanted: UsageFilter) -> SessionSummary:
    """How many sessions, and the median of their input / output.

    One statement; one more for each of the middle ones whose tokens are too many to tell from a binary
    fraction.
    """
    names = ("input_tokens", "known_input_tokens", "output_tokens")
    sessions = sessions_of(wanted).values(*names).order_by()
    rows = wrapped(_MEDIAN, sessions)
    if not rows:  # a filter that nothing can match is not asked
        return SessionSummary(sessions=0, with_ratio=0, ratio_median=None)
    (found,) = rows
    median = None
    if found["with_ratio"]:
        lower, upper = (_exactly(one, found["most_output"], sessions) for one in found["middle"])
        median = (lower + upper) / 2
    return SessionSummary(
        sessions=found["sessions"], with_ratio=found["with_ratio"], ratio_median=median
    )


def _exactly(ratio: float, most_output: int, sessions: QuerySet[Any, Any]) -> Fraction:
    """The ratio of tokens of the session that has it as a binary fraction."""
    found = fraction_of(ratio, most_output)
    if found is not None:
        return found
    rows = wrapped(_OF_RATIO, sessions, after=(ratio,))
    # A session that has grown meanwhile is not found again: then the ratio has sixteen digits.
    return Fraction(rows[0]["input_tokens"], rows[0]["output_tokens"]) if rows else Fraction(ratio)


def _ordered(wanted: UsageFilter, order: str) -> tuple[QuerySet[SessionWhole, Any], bool]:
    """A filter's sessions in an order, and whether that goes downwards. Raises FilterError."""
    value, downwards = _order(order)
    direction = "-" if downwards else ""
    sessions = sessions_of(wanted).annotate(order_value=value)
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


def _ratio() -> Combinable:
    """Input / output in RATIO_UNIT; -1 where nobody told the input or there is no output."""
    number: DecimalField[Any, Any] = DecimalField()
    ratio = Cast(F("input_tokens"), number) * RATIO_UNIT / NullIf(F("output_tokens"), 0)
    return Case(
        When(known_input_tokens=0, then=Value(-1, output_field=number)),
        default=Coalesce(ratio, Value(-1, output_field=number)),
    )


def _order(order: str) -> tuple[Combinable, bool]:
    name = order.removeprefix("-")
    columns = {
        "started": "started_at",
        "ended": "ended_at",
        "input": "input_tokens",
        "cached": "cache_read_input_tokens",
        "output": "output_tokens",
        "cost": "cost_base",
    }
    if name not in ORDERS:
        raise FilterError(
            "unknown_order", f"order={order[:40]!r}, expected {', '.join(ORDERS)}", "order"
        )
    value = _ratio() if name == "ratio" else F(columns.get(name, name))
    return value, order.startswith("-")


def _behind(after: SessionKey, *, downwards: bool) -> Q:
    value, session_id = after
    beyond = "lt" if downwards else "gt"
    return Q(**{f"order_value__{beyond}": value}) | Q(
        order_value=value, **{f"session_id__{beyond}": session_id}
    )
