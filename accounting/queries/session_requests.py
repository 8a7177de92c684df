"""What happened in one session: its requests in the order in which they started."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max, Min

from accounting.domain.periods import month_of
from accounting.models import SessionTotal, UsageEvent
from accounting.queries.totals import Totals, sums, totals_of

MOST_REQUESTS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFound:
    """A session's sums and its first requests. has_more: there are later ones."""

    session_id: str
    totals: Totals
    events: Sequence[UsageEvent]
    has_more: bool


def session_found(organization_id: int, session_id: str) -> SessionFound | None:
    """One session, None where there is none of this id. Two statements.

    Uses the indexes usageevent_session and that of session totals.
    """
    rows = list(
        SessionTotal.objects.of(organization_id)
        .filter(session_id=session_id)
        .values("currency")
        .annotate(**sums(), started=Min("started_at"), ended=Max("ended_at"))
        .order_by()
    )
    if not rows or not session_id:
        return None
    events = list(
        UsageEvent.objects.of(organization_id)
        .filter(
            session_id=session_id,
            month__gte=month_of(min(row["started"] for row in rows)),
            month__lte=month_of(max(row["ended"] for row in rows)),
        )
        .order_by("occurred_at", "dedupe_key")[: MOST_REQUESTS + 1]
    )
    return SessionFound(
        session_id=session_id,
        totals=totals_of(rows),
        events=events[:MOST_REQUESTS],
        has_more=len(events) > MOST_REQUESTS,
    )
