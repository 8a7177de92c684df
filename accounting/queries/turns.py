"""Requests of sessions beside the one before: what turn-by-turn questions are asked of."""

from typing import Any

from django.db.models import BooleanField, Case, Count, F, Func, Q, QuerySet, Value, When, Window
from django.db.models.expressions import Combinable
from django.db.models.functions import Lag

from accounting.domain.finishes import CUT_BY_LENGTH
from accounting.models import UsageEvent

#: What was answered; parts, failures and requests that still run are no turns.
IS_TURN = Q(part=0, status__in=("ok", "cancelled"))
IN_ORDER = ("occurred_at", "dedupe_key")
#: A session's context goes on within one agent's chain: a sub-agent has one of its own.
_CHAIN = ("session_id", "agent", "is_sidechain", "is_turn")


def cut_by_length() -> Combinable:
    """Whether an answer was cut for its length, as accounting.domain.finishes says it."""
    words = ", ".join(f"'{word}'" for word in CUT_BY_LENGTH)
    return Func(
        F("finish_reason"),
        template=f"(string_to_array(lower(%(expressions)s), ',') && ARRAY[{words}])",
        output_field=BooleanField(),
    )


def with_turn_before(events: QuerySet[UsageEvent], **told: Combinable) -> QuerySet[Any, Any]:
    """Ledger rows with what the turn before in their chain sent, was answered, and how it ended.

    is_turn, is_cut: of the row itself. before_input, before_output, before_is_cut: NULL in the first
    turn of a chain. turn: how many turns of the session have begun, this one included. told: further
    expressions, of which before_<name> is the value of the turn before.
    """
    columns = {"input": F("input_tokens"), "output": F("output_tokens"), "is_cut": F("is_cut")}
    return events.annotate(
        is_turn=Case(When(IS_TURN, then=Value(value=True)), default=Value(value=False)),
        is_cut=cut_by_length(),
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
