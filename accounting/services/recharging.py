"""Giving events of the ledger other charges, with everything that follows, in the caller's transaction.

The caller holds the shards, shared. It need not lock the events to read them, one by one by their keys:
where one turns out to be another than was read, the transaction must end and be tried again with locks.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from operator import attrgetter
from typing import NamedTuple

from accounting.domain.periods import month_of
from accounting.models import Organization
from accounting.services import ledger
from accounting.services.corrections import booked_corrections, correction_keys
from accounting.services.revisions import (
    Revision,
    add_corrections,
    charge_staged,
    keep_staged,
    lock_staged,
    lock_unchanged,
    stage_back,
    stage_revisions,
    take_corrections_away,
)
from accounting.services.rollups import add_charge_differences

#: What rollups are kept by that a charge decides.
KEYS = ("model", "currency")
_keys = attrgetter(*KEYS)


class EventsMovedError(Exception):
    """An event was changed between being read and being changed, or must be locked before."""


class Kept(NamedTuple):
    """A kept revision, as undoing needs it; correction_at as in CostRevision."""

    pk: int
    key: bytes
    month: date
    correction_at: datetime | None
    old_keys: tuple[str, ...]
    new_keys: tuple[str, ...]


def book_revisions(
    organization: Organization,
    revisions: Iterable[Revision],
    *,
    run_id: int | None,
    keeps_all: bool,
    are_locked: bool,
) -> None:
    """Give events the new charges of revisions, or book corrections for them, and sum.

    run_id: the run under which they are kept, needed where any is a correction; keeps_all: whether
    those that change their events are kept too. Raises EventsMovedError where the events are not
    locked and one of them has to be.
    """
    revisions = sorted(revisions, key=lambda revision: (revision.event.key, revision.event.month))
    if not revisions:
        return
    changed = [revision for revision in revisions if revision.correction_at is None]
    corrected = [revision for revision in revisions if revision.correction_at is not None]
    if corrected and not are_locked:
        raise EventsMovedError
    stage_revisions(revisions)
    if changed:
        months = {revision.event.month for revision in changed}
        if not are_locked and lock_staged(organization.pk, months) != len(changed):
            raise EventsMovedError
        charge_staged(organization.pk, months)
    moved = _moved((_keys(revision.old), _keys(revision.new)) for revision in changed)
    if run_id is not None:
        keep_staged(organization.pk, run_id, corrections_alone=not keeps_all)
        if corrected:
            staged = ledger.stage(booked_corrections(organization.pk, run_id, corrected))
            ledger.note_new(ledger.insert_new(staged))
            add_corrections()
            moved = set(KEYS)
    _add(organization, moved)


def take_back(organization: Organization, run_id: int, rows: Sequence[Kept]) -> int:
    """Give events back what a run changed and delete its corrections; how many were left alone.

    Left alone is what something else has changed since.
    """
    plain = [row for row in rows if row.correction_at is None]
    months = {row.month for row in plain}
    ids = lock_unchanged(organization.pk, [row.pk for row in plain], months)
    stage_back(ids)
    if ids:
        charge_staged(organization.pk, months)
    moved = _moved((row.old_keys, row.new_keys) for row in plain)
    booked = {month_of(row.correction_at) for row in rows if row.correction_at is not None}
    if booked:
        keys = [
            key
            for row in rows
            if row.correction_at is not None
            for key in correction_keys(organization.pk, run_id, row.key, row.month)
        ]
        take_corrections_away(organization.pk, keys, booked)
        moved = set(KEYS)
    _add(organization, moved)
    return len(plain) - len(ids)


def _add(organization: Organization, moved: set[str]) -> None:
    add_charge_differences(
        organization.pk, organization.time_zone, source="charge_change", moved=moved
    )


def _moved(sides: Iterable[tuple[tuple[str, ...], tuple[str, ...]]]) -> set[str]:
    """The keys of rollups that differ between any two sides."""
    moved: set[str] = set()
    for old, new in sides:
        if old != new:
            moved.update(name for name, a, b in zip(KEYS, old, new, strict=True) if a != b)
    return moved
