"""Changing the charges of events that exist, with what they were kept beside what they become.

Only the columns of the charge are written, in one statement for each batch.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from django.db import connection

from accounting.services.charged_events import ChargedEvent
from accounting.services.columns import Charge
from accounting.services.revision_statements import (
    AS_BEFORE,
    BY_KEY_ALONE,
    CHARGE_EVENTS,
    CORRECTIONS_CAME,
    KEEP_REVISIONS,
    LOCK_STAGED,
    LOCK_UNCHANGED,
    MAKE_STAGE,
    STAGE_BACK,
    STAGED,
    STAGED_TYPES,
    TAKE_CORRECTIONS_AWAY,
)


class Revision(NamedTuple):
    """One event's charge as it was and as it is to be; cause and correction_at as in CostRevision."""

    event: ChargedEvent
    cause: str
    correction_at: datetime | None
    old: Charge
    new: Charge


def stage_revisions(revisions: Iterable[Revision]) -> None:
    """Put revisions, in key order, into reprice_stage; empties it and charge_change first."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE_STAGE)
        statement = f"COPY reprice_stage ({', '.join(STAGED)}) FROM STDIN (FORMAT BINARY)"
        with cursor.copy(statement) as copy:
            copy.set_types(STAGED_TYPES)
            for revision in revisions:
                copy.write_row(_row(revision))


def stage_back(ids: Sequence[int]) -> None:
    """Stage kept revisions the other way round, so that events get back what they had."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE_STAGE)
        cursor.execute(STAGE_BACK, {"ids": list(ids)})


def keep_staged(organization_id: int, run_id: int, *, corrections_alone: bool) -> None:
    """Write down, in the order of time, what is staged as changed by a run."""
    with connection.cursor() as cursor:
        cursor.execute(
            KEEP_REVISIONS,
            {"organization": organization_id, "run": run_id, "all": not corrections_alone},
        )


def lock_staged(organization_id: int, months: Iterable[date]) -> int:
    """Lock the staged events of these months that are as they were read; how many these are."""
    with connection.cursor() as cursor:
        cursor.execute(BY_KEY_ALONE)
        cursor.execute(LOCK_STAGED, _of(organization_id, months))
        locked: int = cursor.fetchone()[0]
        cursor.execute(AS_BEFORE)
        return locked


def charge_staged(organization_id: int, months: Iterable[date]) -> None:
    """Give the staged events of these months, which are locked, their new charges."""
    with connection.cursor() as cursor:
        cursor.execute(BY_KEY_ALONE)
        cursor.execute(CHARGE_EVENTS, _of(organization_id, months))
        cursor.execute(AS_BEFORE)


def lock_unchanged(organization_id: int, ids: Sequence[int], months: Iterable[date]) -> list[int]:
    """Of these revisions, those whose events stand as the run left them; their events are locked."""
    if not ids:
        return []
    with connection.cursor() as cursor:
        cursor.execute(BY_KEY_ALONE)
        cursor.execute(LOCK_UNCHANGED, {**_of(organization_id, months), "ids": list(ids)})
        found = [number for (number,) in cursor.fetchall()]
        cursor.execute(AS_BEFORE)
        return found


def add_corrections() -> None:
    """Take the corrections that were just posted among what came."""
    with connection.cursor() as cursor:
        cursor.execute(CORRECTIONS_CAME)


def take_corrections_away(
    organization_id: int, keys: Sequence[bytes], months: Iterable[date]
) -> None:
    """Delete correction rows from the ledger: they are among what went."""
    with connection.cursor() as cursor:
        cursor.execute(
            TAKE_CORRECTIONS_AWAY,
            {"organization": organization_id, "keys": list(keys), "months": list(months)},
        )


def _of(organization_id: int, months: Iterable[date]) -> dict[str, Any]:
    months = sorted(months)
    return {"organization": organization_id, "first": months[0], "last": months[-1]}


def _row(revision: Revision) -> tuple[Any, ...]:
    event = revision.event
    return (
        event.key,
        event.month,
        event.at,
        event.digest,
        revision.cause,
        revision.correction_at,
        event.project_id,
        *revision.old,
        *revision.new,
    )
