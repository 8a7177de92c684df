"""Carrying a repricing run on, chunk by chunk: each is one transaction with its mark of progress.

A chunk takes the locks in the order of posting: the run, the shards (shared: it adds and moves no
key), the events in key order, the rollups last. Two workers never have the same run.
"""

import time
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, F, Q
from django.utils import timezone

from accounting.domain.differences import Differences
from accounting.domain.periods import month_of
from accounting.domain.ratebook import RateBook
from accounting.models import CostRevision, RepriceRun
from accounting.models.repricing import UNFINISHED_STATES
from accounting.queries.prices import loaded_rates, rates_of_version
from accounting.services import ledger
from accounting.services.charged_events import read_events
from accounting.services.closed_months import closed_calendar
from accounting.services.comparing import revisions_of
from accounting.services.corrections import booked_corrections, correction_keys
from accounting.services.locks import SHARDS, lock_shards
from accounting.services.reprice_selection import next_keys
from accounting.services.revisions import (
    Revision,
    charge_events,
    keep_revisions,
    lock_unchanged,
    take_corrections_away,
)
from accounting.services.rollups import add_charge_differences, add_differences

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
            is_last = _rate_chunk(run, chunk, _rates(run, {} if rates is None else rates))
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


def _rate_chunk(run: RepriceRun, chunk: int, rates: RateBook) -> bool:
    """Rate the next events again and, unless the run is dry, change them; whether none is left."""
    is_dry = run.state == "drafting"
    if not is_dry:
        lock_shards(run.organization_id, dict.fromkeys(range(SHARDS), False))
    keys = next_keys(run, chunk)
    events = [
        event
        for event in read_events(run.organization_id, keys, lock=not is_dry)
        # While we waited for it, somebody may have moved it or rated it by newer prices.
        if run.starts_at <= event.record.place.started_at < run.ends_at
        and event.charge.price_version <= run.price_version
    ]
    found = Differences.from_json(run.draft if is_dry else run.outcome)
    calendar = closed_calendar(run.organization)
    revisions = revisions_of(run.organization_id, events, rates, calendar, found)
    if is_dry:
        run.draft = found.as_json()
    else:
        run.outcome = found.as_json()
        book_revisions(run, revisions)
    run.done += len(keys)
    return len(keys) < chunk


def book_revisions(run: RepriceRun, revisions: list[Revision]) -> None:
    """Write revisions down, give their events the new charges, or book corrections, and sum."""
    if not revisions:
        return
    organization_id = run.organization_id
    ledger.stage(
        booked_corrections(
            organization_id, run.pk, [r for r in revisions if r.correction_at is not None]
        )
    )
    ledger.insert_new()
    keep_revisions(organization_id, run.pk, [r for r in revisions if r.correction_at is not None])
    changed = [r for r in revisions if r.correction_at is None]
    moves = len(changed) < len(revisions) or any(
        (r.old.model, r.old.currency) != (r.new.model, r.new.currency) for r in changed
    )
    if changed:
        ids = keep_revisions(organization_id, run.pk, changed)
        months = _bounds([r.event.month for r in changed])
        charge_events(organization_id, ids, months, side="new")
    _add_differences(run, moves=moves)


def _add_differences(run: RepriceRun, *, moves: bool) -> None:
    """Add posting_change to the rollups. moves: whether rows of them may come or go."""
    zone = run.organization.time_zone
    if moves:
        add_differences(run.organization_id, zone, source="posting_change", with_losses=True)
    else:
        add_charge_differences(run.organization_id, zone, source="posting_change")


def _undo_chunk(run: RepriceRun, chunk: int) -> bool:
    """Put the next events back, take corrections away; whether none is left."""
    organization_id = run.organization_id
    lock_shards(organization_id, dict.fromkeys(range(SHARDS), False))
    same = Q(old_model=F("new_model"), old_currency=F("new_currency"), correction_at=None)
    rows = list(
        CostRevision.objects.of(organization_id)
        .filter(run=run, pk__gt=run.cursor_id)
        .annotate(is_same=ExpressionWrapper(same, output_field=BooleanField()))
        .order_by("pk")
        .values_list("pk", "dedupe_key", "month", "correction_at", "is_same")[:chunk]
    )
    ledger.stage(())
    plain = [(number, month) for number, _, month, at, _ in rows if at is None]
    if plain:
        months = _bounds([month for _, month in plain])
        ids = lock_unchanged(organization_id, [number for number, _ in plain], months)
        run.kept += len(plain) - len(ids)
        charge_events(organization_id, ids, months, side="old")
    booked = [(bytes(key), at) for _, key, _, at, _ in rows if at is not None]
    if booked:
        keys = [k for key, _ in booked for k in correction_keys(organization_id, run.pk, key)]
        take_corrections_away(organization_id, keys, sorted({month_of(at) for _, at in booked}))
    if rows:
        run.cursor_id = rows[-1][0]
        _add_differences(run, moves=not all(is_same for *_, is_same in rows))
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


def _bounds(months: list[date]) -> tuple[date, date]:
    return min(months), max(months)
