"""Taking imports out of the books: what they recorded goes, what they replaced comes back.

Of each event the chain of tellings is known: who recorded it, and the row before each rewriting. The
last writers of a chain can go, nobody before them: then nothing has to be guessed or merged again.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from accounting.domain.changes import REPORTED_KINDS, Change
from accounting.domain.errors import DomainError
from accounting.domain.periods import month_of
from accounting.models import Import, Organization, Run, UsageAggregate, UsageEvent
from accounting.services import ledger
from accounting.services.aggregate_revisions import take_aggregates_back
from accounting.services.aggregates import lock_aggregates
from accounting.services.changes import change_of_rows
from accounting.services.closed_months import MonthClosedError, closed_calendar
from accounting.services.columns import Booked
from accounting.services.former_rows import former_rows
from accounting.services.overlaps import follow_to_months, forget_telling
from accounting.services.rollups import add_differences

# Each edge leads to an import that must go first; together they are all that must.
MET_BY = """
    WITH RECURSIVE met (id) AS (
        SELECT later_import_id
        FROM accounting_importoverlap
        WHERE organization_id = %(organization)s AND earlier_import_id = ANY(%(imports)s)
        UNION
        SELECT o.later_import_id
        FROM accounting_importoverlap AS o
        JOIN met ON met.id = o.earlier_import_id
        WHERE o.organization_id = %(organization)s
    )
    SELECT id FROM met WHERE id <> ALL(%(imports)s) ORDER BY id
"""
# Uses index: usageevent_organization_time. A row that only was rewritten is put back instead.
TAKE_AWAY = """
    WITH gone AS (
        DELETE FROM accounting_usageevent AS e
        WHERE e.organization_id = %(organization)s
          AND e.import_id = ANY(%(imports)s)
          AND e.occurred_at BETWEEN %(earliest)s AND %(latest)s
          AND e.month BETWEEN %(first)s AND %(last)s
          AND NOT EXISTS (
              SELECT 1 FROM accounting_eventrevision AS r
              WHERE r.organization_id = e.organization_id
                AND r.dedupe_key = e.dedupe_key
                AND r.month = e.month
                AND r.import_id = ANY(%(imports)s)
                AND (r.former ->> 'import_id')::bigint <> ALL(%(imports)s)
          )
        RETURNING e.*
    )
    INSERT INTO posting_change SELECT -1, gone.* FROM gone
"""
# Uses the primary key: an event that moves back to a month where its key was recorded again.
TAKEN_PLACES = """
    SELECT DISTINCT e.import_id
    FROM unnest(%(keys)s::bytea[], %(months)s::date[]) AS back (dedupe_key, month)
    JOIN accounting_usageevent AS e
      ON e.organization_id = %(organization)s
     AND e.dedupe_key = back.dedupe_key
     AND e.month = back.month
    ORDER BY e.import_id
"""
MONTHS_CHANGED = """
    SELECT DISTINCT date_trunc('month', occurred_at AT TIME ZONE %(zone)s)::date AS month
    FROM posting_change
    ORDER BY month
"""
RUNS_CHANGED = "SELECT DISTINCT run_id FROM posting_change WHERE run_id IS NOT NULL"


class MetByLaterError(DomainError):
    """Later imports told events of the ones to be undone. met_by: their ids, oldest first."""

    code = "met_by_later_imports"

    def __init__(self, met_by: Sequence[int]) -> None:
        self.met_by = tuple(met_by)
        named = ", ".join(map(str, met_by))
        super().__init__(f"imports that came later met its events; undo them first: {named}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """What went and what came back: events, and what that changed in the books."""

    removed: int
    restored: int
    change: Change


def met_by(organization_id: int, import_ids: Sequence[int]) -> list[int]:
    """The imports that must be undone before these, or with them, by their ids. One query."""
    with connection.cursor() as cursor:
        wanted: dict[str, Any] = {"organization": organization_id, "imports": list(import_ids)}
        cursor.execute(MET_BY, wanted)
        return [number for (number,) in cursor.fetchall()]


def take_back(*, organization_id: int, imports: Sequence[Import]) -> TakenBack:
    """Take these imports' events, reports and runs out of the books, with their rollups.

    Runs in the caller's transaction, which holds all shards alone (`lock_books`). Raises
    MetByLaterError while a later import met their events and MonthClosedError where an event would
    change in a closed month; then the transaction must end.
    """
    ids = [source.pk for source in imports]
    later = met_by(organization_id, ids)
    if later:
        raise MetByLaterError(later)
    organization = Organization.objects.get(pk=organization_id)
    ledger.stage(())
    removed = _take_recorded_away(organization_id, imports)
    former = former_rows(organization_id, ids)
    _refuse_taken_places(organization_id, former)
    ledger.rewrite(former)
    _refuse_closed(organization)
    lock_aggregates(organization_id)
    runs = _runs_changed() | take_aggregates_back(organization_id, ids)
    add_differences(
        organization_id, organization.time_zone, source="posting_change", with_losses=True
    )
    forget_telling(organization_id, ids)
    follow_to_months(organization_id, former)
    _drop_empty_runs(organization_id, ids, runs)
    change = change_of_rows(set(REPORTED_KINDS))
    return TakenBack(removed=removed, restored=len(former), change=change)


def _take_recorded_away(organization_id: int, imports: Sequence[Import]) -> int:
    """Delete the events that these imports recorded, by posting_change; how many there were."""
    starts = [source.earliest_at for source in imports if source.earliest_at is not None]
    ends = [source.latest_at for source in imports if source.latest_at is not None]
    if not starts or not ends:
        return 0
    earliest, latest = min(starts), max(ends)
    wanted: dict[str, Any] = {
        "organization": organization_id,
        "imports": [source.pk for source in imports],
        "earliest": earliest,
        "latest": latest,
        "first": month_of(earliest.astimezone(UTC)),
        "last": month_of(latest.astimezone(UTC)),
    }
    with connection.cursor() as cursor:
        cursor.execute(TAKE_AWAY, wanted)
        return int(cursor.rowcount)


def _refuse_taken_places(organization_id: int, former: Sequence[Booked]) -> None:
    moving = [one for one in former if one.month != one.old_month]
    if not moving:
        return
    wanted: dict[str, Any] = {
        "organization": organization_id,
        "keys": [one.key for one in moving],
        "months": [one.month for one in moving],
    }
    with connection.cursor() as cursor:
        cursor.execute(TAKEN_PLACES, wanted)
        taken_by = [number for (number,) in cursor.fetchall()]
    if taken_by:
        raise MetByLaterError(taken_by)


def _refuse_closed(organization: Organization) -> None:
    """Raise MonthClosedError where something has gone from a closed month, or come to one."""
    calendar = closed_calendar(organization)
    if not calendar.months:
        return
    with connection.cursor() as cursor:
        cursor.execute(MONTHS_CHANGED, {"zone": organization.time_zone})
        closed = [month for (month,) in cursor.fetchall() if month in calendar.months]
    if closed:
        named = ", ".join(f"{month:%Y-%m}" for month in closed)
        raise MonthClosedError(f"events of {named} would change, and that is closed: open it first")


def _runs_changed() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(RUNS_CHANGED)
        return {number for (number,) in cursor.fetchall()}


def _drop_empty_runs(
    organization_id: int, import_ids: Sequence[int], named: Collection[int]
) -> None:
    """Delete benchmark runs of which nothing is left; those that another import made stay.

    named: the runs of what has gone. Uses index: usageevent_run.
    """
    events = UsageEvent.objects.of(organization_id).filter(run_id=OuterRef("pk"))
    reports = UsageAggregate.objects.of(organization_id).filter(run=OuterRef("pk"))
    made_here = Q(source_import__in=import_ids)
    made_by_none = Q(source_import=None) | Q(source_import__state="undone")
    Run.objects.of(organization_id).filter(
        made_here | Q(made_by_none, pk__in=named), ~Exists(events), ~Exists(reports)
    ).delete()
