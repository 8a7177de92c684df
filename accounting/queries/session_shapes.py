"""How sessions went: how their context grew and was cut, and how many answers were cut short."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from fractions import Fraction

from accounting.domain.finishes import CONTEXT_KEPT_PERCENT
from accounting.domain.periods import month_of
from accounting.domain.ratios import ratio
from accounting.models import UsageEvent
from accounting.queries.filters import UsageFilter
from accounting.queries.sessions import SessionRow
from accounting.queries.turns import IS_TURN, with_turn_before
from accounting.queries.wrapping import Row, wrapped

#: A step is a turn and the one before it in the same agent's chain, where both tell their input.
_SHAPES = f"""
    SELECT
        session_id,
        count(*) AS turns,
        count(*) FILTER (WHERE finish_reason <> '') AS finished,
        count(*) FILTER (WHERE is_cut) AS truncated,
        count(*) FILTER (WHERE before_is_cut AND input_tokens >= before_input + before_output)
            AS continuations,
        count(*) FILTER (WHERE loses) AS context_cuts,
        count(*) FILTER (WHERE NOT loses) AS steps,
        coalesce(sum(input_tokens - before_input) FILTER (WHERE NOT loses), 0) AS grown,
        max(input_tokens) AS largest_input
    FROM (
        SELECT *, 100 * input_tokens < {CONTEXT_KEPT_PERCENT} * before_input AS loses
        FROM ({{}}) AS turns
    ) AS steps
    GROUP BY session_id
"""  # noqa: S608  a constant of ours


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionShape:
    """One session's turns: those answered, whatever parts and failures stand beside them.

    finished: those of which it is known how they ended; truncated: of these, cut for their length.
    continuations: turns that take up a truncated one. context_cuts: turns that send less than 70 % of
    the turn before. steps: the other pairs of turns, grown: their input tokens more, in all.
    """

    turns: int
    finished: int
    truncated: int
    continuations: int
    context_cuts: int
    steps: int
    grown: int
    largest_input: int | None

    @property
    def growth_per_turn(self) -> Fraction | None:
        """Input tokens that a turn sends more than the one before; None without such a pair."""
        return ratio(self.grown, self.steps)

    @property
    def truncation_rate(self) -> Fraction | None:
        """Truncated / those of which it is known how they ended."""
        return ratio(self.truncated, self.finished)


def session_shapes(wanted: UsageFilter, rows: Sequence[SessionRow]) -> Mapping[str, SessionShape]:
    """The shapes of a page of sessions, by session id. One statement, none for no rows.

    No rollup knows turns: it reads the events of these sessions alone, by index usageevent_session.
    """
    if not rows:
        return {}
    events = UsageEvent.objects.of(wanted.organization_id).filter(
        IS_TURN,
        session_id__in=[row.session_id for row in rows],
        purpose=wanted.purpose,
        month__gte=month_of(min(row.started_at for row in rows).astimezone(UTC)),
        month__lte=month_of(max(row.ended_at for row in rows).astimezone(UTC)),
    )
    names = (
        "session_id", "finish_reason", "input_tokens", "before_input", "before_output", "is_cut",
        "before_is_cut",
    )  # fmt: skip
    turns = with_turn_before(events).values(*names).order_by()
    return {row.pop("session_id"): SessionShape(**_whole(row)) for row in wrapped(_SHAPES, turns)}


def _whole(row: Row) -> Row:
    """Sums come as decimals."""
    return {name: None if value is None else int(value) for name, value in row.items()}
