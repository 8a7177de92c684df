"""Bringing what was not known when it was posted up to the newest prices, chunk by chunk.

Each chunk is one transaction with its mark of progress, so that imports and pages go on in between
and a process that dies leaves the rest to the next: whoever changed the prices, or the sweep. Which
charges follow is said in services.provisional.
"""

import time
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from accounting.domain.periods import month_of
from accounting.domain.ratebook import RateBook
from accounting.models import Organization, PriceFilling, PriceVersion, RepriceRun, UsageEvent
from accounting.models.addends import CORRECTION
from accounting.models.ledger import UNPRICED_STATES
from accounting.queries.price_changes import changes_since
from accounting.queries.prices import loaded_rates
from accounting.services.charged_events import ChargedEvent, charged_events, lock_events
from accounting.services.charges import charge_of_event
from accounting.services.closed_months import ClosedCalendar, closed_calendar
from accounting.services.filling_run import corrections_of, locked_run
from accounting.services.locks import SHARDS, lock_books, lock_shards
from accounting.services.provisional import followed, knows_more
from accounting.services.recharging import EventsMovedError, book_revisions
from accounting.services.revisions import Revision

#: Events of a chunk: about half a second in which their hours cannot be posted to.
CHUNK = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What following the newest prices came to so far.

    priced: events that had no cost, or not all of it; followed: those whose charge had been filled
    in before and is another one now. more: whether a chunk is left that nobody else is doing.
    """

    priced: int = 0
    followed: int = 0
    more: bool = False


def fill_in(
    *,
    organization_id: int,
    seconds: float | None = None,
    chunk: int = CHUNK,
    waits: bool = True,
) -> Filled:
    """Do chunks until every event follows the newest prices, or some seconds have passed.

    Safe to run twice and at once: two share the work, or with waits=False the second leaves it.
    """
    ends_at = None if seconds is None else time.monotonic() + seconds
    PriceFilling.objects.get_or_create(organization_id=organization_id)
    while True:
        filled = fill_chunk(organization_id=organization_id, chunk=chunk, waits=waits)
        if not filled.more or (ends_at is not None and time.monotonic() >= ends_at):
            return filled


def unfilled_organizations() -> list[int]:
    """The organizations of which some event may not yet follow the newest prices."""
    newest = PriceVersion.objects.filter(
        Q(organization_id=OuterRef("pk")) | Q(organization_id=None)
    ).order_by("-number")
    filled = PriceFilling.objects.filter(organization_id=OuterRef("pk"))
    return list(
        Organization.objects.annotate(
            newest=Subquery(newest.values("number")[:1]),
            filled=Coalesce(Subquery(filled.values("filled_version")), 0),
        )
        .filter(newest__gt=F("filled"))
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def fill_chunk(*, organization_id: int, chunk: int = CHUNK, waits: bool = True) -> Filled:
    """Do the next chunk in one transaction.

    The first one of a version only waits until every batch that was rated by older prices has been
    posted: those that come later see the new version once they have their locks.
    """
    try:
        return _done_chunk(organization_id, chunk, waits=waits, locks=False)
    except EventsMovedError:
        return _done_chunk(organization_id, chunk, waits=waits, locks=True)


def _done_chunk(organization_id: int, chunk: int, *, waits: bool, locks: bool) -> Filled:
    with transaction.atomic():
        filling = (
            PriceFilling.objects.select_for_update(skip_locked=not waits, of=("self",))
            .select_related("organization")
            .filter(organization_id=organization_id)
            .first()
        )
        if filling is None:
            return Filled()
        rates = loaded_rates(organization_id)
        if filling.version != rates.version:
            lock_books(organization_id)
            _begin(filling, rates.version)
        elif filling.filled_version != rates.version:
            run = locked_run(filling)
            lock_shards(organization_id, dict.fromkeys(range(SHARDS), False))
            if _fill(filling, run, rates, chunk, locks=locks) < chunk:
                filling.filled_version = filling.version
        filling.save()
        return Filled(
            priced=filling.priced,
            followed=filling.followed,
            more=filling.filled_version != filling.version,
        )


def _begin(filling: PriceFilling, version: int) -> None:
    changes = changes_since(filling.organization_id, filling.filled_version)
    filling.version = version
    filling.cursor_at, filling.cursor_key = changes.start, b""
    filling.conversions_from = changes.conversions
    filling.priced = filling.followed = 0
    filling.run = None
    if changes.start is None:
        filling.filled_version = version


def _fill(
    filling: PriceFilling, run: RepriceRun | None, rates: RateBook, chunk: int, *, locks: bool
) -> int:
    """Let the next events follow the prices; how many were looked at."""
    events = _next_events(filling, chunk)
    looked_at = len(events)
    if locks:
        keys = [(event.key, event.month) for event in events]
        events = [
            event
            for event in lock_events(filling.organization_id, keys)
            if event.charge.price_version < rates.version
        ]
    calendar = closed_calendar(filling.organization)
    revisions = _revisions(events, rates, calendar)
    if calendar.months:
        revisions += corrections_of(filling, run, events, rates, calendar)
    priced = sum(knows_more(revision.old, revision.new) for revision in revisions)
    filling.priced += priced
    filling.followed += len(revisions) - priced
    book_revisions(
        filling.organization,
        revisions,
        run_id=filling.run_id,
        keeps_all=False,
        are_locked=locks,
    )
    return looked_at


def _revisions(
    events: list[ChargedEvent], rates: RateBook, calendar: ClosedCalendar
) -> list[Revision]:
    """What becomes of the events of open months."""
    revisions = []
    for event in events:
        if calendar.correction_at(event.at) is not None:
            continue
        new = followed(event.charge, charge_of_event(event, rates), event.use.counts)
        if new is not None:
            revisions.append(Revision(event, "", None, event.charge, new))
    return revisions


def _next_events(filling: PriceFilling, limit: int) -> list[ChargedEvent]:
    """The next events that may follow, behind the cursor, which moves behind them; not locked.

    Uses index usageevent_follows_prices; where conversions have changed, usageevent_organization_time.
    """
    if filling.cursor_at is None:
        return []
    follow = Q(cost_state__in=UNPRICED_STATES) | ~Q(filled_in="")
    if filling.conversions_from is not None:
        follow |= Q(occurred_at__gte=filling.conversions_from) & (
            Q(cost_base__isnull=True) | Q(credits__isnull=True)
        )
    events = (
        UsageEvent.objects.of(filling.organization_id)
        .filter(
            follow,
            Q(occurred_at__gt=filling.cursor_at) | Q(dedupe_key__gt=bytes(filling.cursor_key)),
            occurred_at__gte=filling.cursor_at,
            month__gte=month_of(filling.cursor_at),
            price_version__lt=filling.version,
        )
        .exclude(operation=CORRECTION)
        .order_by("occurred_at", "dedupe_key")
    )
    found = charged_events(events[:limit])
    if found:
        filling.cursor_at, filling.cursor_key = found[-1].at, found[-1].key
    return found
