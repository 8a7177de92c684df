"""The bills of a session's turns, computed again by the prices each was priced with."""

from collections.abc import Mapping

from accounting.models import UsageEvent
from accounting.queries.explain import Explanation, explanations
from accounting.queries.session_turns import SessionTurns


def turn_bills(organization_id: int, found: SessionTurns) -> Mapping[str, Explanation]:
    """Why each of the turns that were found costs what it costs, by its key in hex.

    One statement beside those of explanations, which is told about all of them at once.
    """
    keys = [bytes.fromhex(turn.dedupe_key) for turn in found.turns]
    events = UsageEvent.objects.of(organization_id).filter(
        session_id=found.session_id, dedupe_key__in=keys
    )
    explained = explanations(organization_id, events)
    return {bytes(one.event.dedupe_key).hex(): one for one in explained}
