"""One session turn by turn: how its context grew, where it was cut, and what each turn cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import F, Max, Min, Sum, Window

from accounting.domain.finishes import is_context_cut, is_continuation
from accounting.domain.periods import month_of
from accounting.domain.ratios import ratio
from accounting.models import SessionTotal, UsageEvent
from accounting.queries.totals import Totals, sums, totals_of
from accounting.queries.turns import IN_ORDER, with_turn_before
from accounting.queries.wrapping import wrapped

MOST_TURNS = 500
#: When a row of the session started, and its key in hex.
type TurnKey = tuple[datetime, str]
_NAMES = (
    "occurred_at",
    "part",
    "status",
    "error_type",
    "operation",
    "provider",
    "model",
    "agent",
    "is_sidechain",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "max_output_tokens",
    "finish_reason",
    "duration_ms",
    "cost_state",
    "currency",
    "cost",
    "unpriced_tokens",
)
_PAGE = """
    SELECT *
    FROM ({}) AS turns
    WHERE (%s::timestamptz IS NULL OR (occurred_at, dedupe_key) > (%s::timestamptz, %s::bytea))
    ORDER BY occurred_at, dedupe_key
    LIMIT %s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One row of a session. number: which turn it is, None for parts, failures and corrections.

    grown: input tokens more than the turn before in the same agent's chain, None in its first.
    is_truncated: the answer was cut for its length. is_continuation: the turn before was, and this
    one sends all of it again. is_context_cut: this one sends less than 70 % of what that one sent.
    cost_so_far: of the session in this row's currency, up to here.
    """

    number: int | None
    dedupe_key: str
    occurred_at: datetime
    part: int
    status: str
    error_type: str
    operation: str
    provider: str
    model: str
    agent: str
    is_sidechain: bool
    input_tokens: int | None
    cache_read_input_tokens: int | None
    cache_write_input_tokens: int | None
    output_tokens: int | None
    max_output_tokens: int | None
    finish_reason: str
    duration_ms: float | None
    cost_state: str
    currency: str
    cost: Decimal | None
    unpriced_tokens: int
    cost_so_far: Decimal | None
    grown: int | None
    is_truncated: bool
    is_continuation: bool
    is_context_cut: bool

    @property
    def key(self) -> TurnKey:
        """What the next page begins behind."""
        return self.occurred_at, self.dedupe_key

    @property
    def input_output_ratio(self) -> Fraction | None:
        """Input / output of this turn."""
        return ratio(self.input_tokens, self.output_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionTurns:
    """A session's sums and one page of its rows; the sums are of the whole session."""

    session_id: str
    started_at: datetime
    ended_at: datetime
    totals: Totals
    turns: tuple[Turn, ...]
    has_more: bool

    @property
    def duration(self) -> timedelta:
        """From the start of its first request to the end of its last."""
        return self.ended_at.astimezone(UTC) - self.started_at.astimezone(UTC)


def session_turns(
    organization_id: int,
    session_id: str,
    *,
    purpose: str = "usage",
    limit: int = 50,
    after: TurnKey | None = None,
    only_project_id: int | None = None,
) -> SessionTurns | None:
    """One session, None where there is none of this id. Two statements.

    only_project_id: none either where it used another project too; one statement more. The sums are
    kept, so a page of a long session costs one pass over its own rows. Uses index usageevent_session.
    """
    rows = list(
        SessionTotal.objects.of(organization_id)
        .filter(session_id=session_id, purpose=purpose)
        .values("currency")
        .annotate(**sums(), started=Min("started_at"), ended=Max("ended_at"))
        .order_by()
    )
    if not rows or not session_id:
        return None
    started, ended = min(row["started"] for row in rows), max(row["ended"] for row in rows)
    events = UsageEvent.objects.of(organization_id).filter(
        session_id=session_id,
        purpose=purpose,
        month__gte=month_of(started),
        month__lte=month_of(ended),
    )
    if only_project_id is not None and events.exclude(project_id=only_project_id).exists():
        return None
    limit = min(limit, MOST_TURNS)
    found = _page(events, limit + 1, after)
    return SessionTurns(
        session_id=session_id,
        started_at=started,
        ended_at=ended,
        totals=totals_of(rows),
        turns=tuple(_turn(row) for row in found[:limit]),
        has_more=len(found) > limit,
    )


def _page(events: Any, limit: int, after: TurnKey | None) -> list[dict[str, Any]]:
    inner = with_turn_before(events).annotate(
        cost_so_far=Window(Sum("cost"), partition_by=[F("currency")], order_by=IN_ORDER)
    )
    names = (
        *_NAMES, "dedupe_key", "is_turn", "is_cut", "before_input", "before_output",
        "before_is_cut", "turn", "cost_so_far",
    )  # fmt: skip
    at, key = (after[0], bytes.fromhex(after[1])) if after else (None, None)
    return wrapped(_PAGE, inner.values(*names).order_by(), after=(at, at, key, limit))


def _turn(row: Mapping[str, Any]) -> Turn:
    is_turn = row["is_turn"]
    sent, before = row["input_tokens"], row["before_input"]
    return Turn(
        **{name: row[name] for name in _NAMES},
        number=row["turn"] if is_turn else None,
        dedupe_key=bytes(row["dedupe_key"]).hex(),
        cost_so_far=row["cost_so_far"],
        grown=None if not is_turn or None in (sent, before) else sent - before,
        is_truncated=is_turn and row["is_cut"],
        is_continuation=is_turn
        and bool(row["before_is_cut"])
        and is_continuation(sent, before, row["before_output"]),
        is_context_cut=is_turn and is_context_cut(sent, before),
    )
