"""Requests of sessions beside the one before: what turn-by-turn questions are asked of."""

from typing import Any

from django.db.models import Case, Count, F, Q, QuerySet, Value, When, Window
from django.db.models.expressions import Combinable
from django.db.models.functions import Lag

from accounting.models import UsageEvent
from accounting.models.endings import CutByLength

#: What was answered; parts, failures and requests that still run are no turns.
IS_TURN = Q(part=0, status__in=("ok", "cancelled"))
IN_ORDER = ("occurred_at", "dedupe_key")
#: A session's context goes on within one agent's chain: a sub-agent has one of its own.
_CHAIN = ("session_id", "agent", "is_sidechain", "is_turn")


def with_turn_before(events: QuerySet[UsageEvent], **told: Combinable) -> QuerySet[Any, Any]:
    """Ledger rows with what the turn before in their chain sent, was answered, and how it ended.

    is_turn, is_cut: of the row itself. before_input, before_output, before_is_cut: NULL in the first
    turn of a chain. turn: how many turns of the session have begun, this one included. told: further
    expressions, of which before_<name> is the value of the turn before.
    """
    columns = {"input": F("input_tokens"), "output": F("output_tokens"), "is_cut": F("is_cut")}
    return events.annotate(
        is_turn=Case(When(IS_TURN, then=Value(value=True)), default=Value(value=False)),
        is_cut=CutByLength("finish_reason"),
        **told,
    ).annotate(
        **{f"before_{name}": _before(value) for name, value in columns.items()},
        **{f"before_{name}": _before(F(name)) for name in told},
        turn=Window(
            Count("dedupe_key", filter=IS_TURN), partition_by=["session_id"], order_by=IN_ORDER
        ),
    )


def _before(value: Combinable) -> Window:
    return Window(Lag(value), partition_by=list(_CHAIN), order_by=IN_ORDER)
