"""Carrying a repricing run on, chunk by chunk: each is one transaction with its mark of progress.

A chunk takes the locks in the order of posting: the run, the shards (shared: it adds and moves no
key), the events in key order, the rollups last. Two workers never have the same run. Events are not
locked to be looked at; a chunk in which one was changed meanwhile is done again with locks.
"""

import time
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from accounting.domain.differences import Differences
from accounting.domain.ratebook import RateBook
from accounting.models import RepriceRun
from accounting.models.repricing import UNFINISHED_STATES
from accounting.queries.prices import loaded_rates, rates_of_version
from accounting.services.charged_events import lock_events
from accounting.services.closed_months import closed_calendar
from accounting.services.comparing import revisions_of
from accounting.services.locks import SHARDS, lock_shards
from accounting.services.recharging import EventsMovedError, book_revisions, take_back
from accounting.services.reprice_selection import next_events, next_kept

#: Events of a chunk: a second or two in which their hours cannot be posted to.
CHUNK = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands. more: whether a chunk is left that nobody else is doing."""

    run_id: int
    state: str
    done: int
    total: int
    more: bool


def carry_on(*, run_id: int, seconds: float | None = None, chunk: int = CHUNK) -> Progress:
    """Do chunks of a run until its state is reached, or some seconds have passed.

    Safe to run twice and at once: a chunk that another session is doing is left to it.
    """
    ends_at = None if seconds is None else time.monotonic() + seconds
    rates: dict[int, RateBook] = {}
    while True:
        progress = do_chunk(run_id=run_id, chunk=chunk, rates=rates)
        if not progress.more or (ends_at is not None and time.monotonic() >= ends_at):
            return progress


def unfinished_runs() -> list[int]:
    """The runs of all organizations in which a chunk is left."""
    return list(
        RepriceRun.objects.filter(state__in=UNFINISHED_STATES)
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def do_chunk(
    *, run_id: int, chunk: int = CHUNK, rates: dict[int, RateBook] | None = None
) -> Progress:
    """Do the next chunk of a run in one transaction. rates: books that were loaded before."""
    rates = {} if rates is None else rates
    try:
        return _done_chunk(run_id, chunk, rates, locks=False)
    except EventsMovedError:
        return _done_chunk(run_id, chunk, rates, locks=True)


def _done_chunk(run_id: int, chunk: int, rates: dict[int, RateBook], *, locks: bool) -> Progress:
    with transaction.atomic():
        run = (
            RepriceRun.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("organization")
            .filter(pk=run_id, state__in=UNFINISHED_STATES)
            .first()
        )
        if run is None:
            return _standing(run_id)
        if run.state == "undoing":
            is_last = _undo_chunk(run, chunk)
        else:
            is_last = _rate_chunk(run, chunk, _rates(run, rates), locks=locks)
        if is_last:
            _end(run)
        run.save()
        return Progress(
            run_id=run.pk, state=run.state, done=run.done, total=run.total, more=not is_last
        )


def _standing(run_id: int) -> Progress:
    run = RepriceRun.objects.get(pk=run_id)
    return Progress(run_id=run_id, state=run.state, done=run.done, total=run.total, more=False)


def _rates(run: RepriceRun, known: dict[int, RateBook]) -> RateBook:
    if run.price_version not in known:
        newest = loaded_rates(run.organization_id)
        known[run.price_version] = (
            newest
            if newest.version == run.price_version
            else rates_of_version(run.organization_id, run.price_version)
        )
    return known[run.price_version]


def _rate_chunk(run: RepriceRun, chunk: int, rates: RateBook, *, locks: bool) -> bool:
    """Rate the next events again and, unless the run is dry, change them; whether none is left."""
    is_dry = run.state == "drafting"
    if not is_dry:
        lock_shards(run.organization_id, dict.fromkeys(range(SHARDS), False))
    events = next_events(run, chunk)
    run.done += len(events)
    is_last = len(events) < chunk
    if locks:
        events = [
            event
            for event in lock_events(run.organization_id, [(e.key, e.month) for e in events])
            # While we waited for it, somebody may have moved it or rated it by newer prices.
            if run.starts_at <= event.at < run.ends_at
            and event.charge.price_version <= run.price_version
        ]
    found = Differences.from_json(run.draft if is_dry else run.outcome)
    calendar = closed_calendar(run.organization)
    revisions = revisions_of(run.organization_id, events, rates, calendar, found)
    if is_dry:
        run.draft = found.as_json()
    else:
        run.outcome = found.as_json()
        book_revisions(run.organization, revisions, run_id=run.pk, keeps_all=True, are_locked=locks)
    return is_last


def _undo_chunk(run: RepriceRun, chunk: int) -> bool:
    """Put the next events back, take corrections away; whether none is left."""
    lock_shards(run.organization_id, dict.fromkeys(range(SHARDS), False))
    rows = next_kept(run, chunk)
    if rows:
        run.kept += take_back(run.organization, run.pk, rows)
    run.done += len(rows)
    return len(rows) < chunk


def _end(run: RepriceRun) -> None:
    match run.state:
        case "drafting":
            run.state = "drafted"
        case "applying":
            run.state = "applied"
        case _:
            run.state, run.undone_at = "undone", timezone.now()
