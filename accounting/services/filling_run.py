"""What new prices add to closed months: booked into the open one, by a run of its own.

One run for each price version, so that it can be undone like any other. What lies in a closed month
and has a cost, its own or by a correction, keeps it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from accounting.domain.differences import Differences
from accounting.domain.ratebook import RateBook
from accounting.models import PriceFilling, RepriceRun
from accounting.services.charged_events import ChargedEvent
from accounting.services.charges import charge_of_event
from accounting.services.closed_months import ClosedCalendar
from accounting.services.comparing import revisions_of
from accounting.services.corrections import standing_charges
from accounting.services.provisional import fills_in
from accounting.services.revisions import Revision

_INSTANT = timedelta(microseconds=1)


def locked_run(filling: PriceFilling) -> RepriceRun | None:
    """The run of the chunks before, locked; none where it is being undone.

    To be called before the shards are locked, as undoing does.
    """
    if filling.run_id is None:
        return None
    runs = RepriceRun.objects.of(filling.organization_id).select_for_update()
    return runs.filter(pk=filling.run_id, state="applied").first()


def corrections_of(
    filling: PriceFilling,
    run: RepriceRun | None,
    events: Sequence[ChargedEvent],
    rates: RateBook,
    calendar: ClosedCalendar,
) -> list[Revision]:
    """The corrections for those of these events that lie in closed months and lack a cost.

    Their run is noted, and made where there is none; the caller books them. run: what
    `locked_run` found.
    """
    wanting = [
        event
        for event in events
        if calendar.correction_at(event.at) is not None
        and fills_in(event.charge, charge_of_event(event, rates))
    ]
    standing = standing_charges(filling.organization_id, wanting)
    wanting = [event for event in wanting if (event.key, event.month) not in standing]
    found = Differences.from_json(run.outcome if run else {})
    revisions = revisions_of(filling.organization_id, wanting, rates, calendar, found)
    if revisions:
        _note(filling, run, found, [event.at for event in wanting])
    return revisions


def _note(
    filling: PriceFilling,
    run: RepriceRun | None,
    found: Differences,
    moments: Sequence[datetime],
) -> None:
    start, end = min(moments), max(moments) + _INSTANT
    if run is None:
        run = RepriceRun(
            organization_id=filling.organization_id,
            starts_at=start,
            ends_at=end,
            price_version=filling.version,
            state="applied",
            applied_at=timezone.now(),
        )
    run.starts_at, run.ends_at = min(run.starts_at, start), max(run.ends_at, end)
    run.done = run.total = found.events
    run.draft = run.outcome = found.as_json()
    run.save()
    filling.run = run
