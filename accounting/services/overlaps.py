"""What posting notes where an import tells events that are there already, so that it can be undone.

Only what meets something costs anything: one look-up of the events that were found, and a row for
each that another import had written and this one replaces.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import Q

from accounting.models import AggregateRevision, EventRevision, ImportOverlap
from accounting.services.columns import Booked

# Uses index: eventrevision_of_an_event. Of one event the greatest id is the last to have rewritten it.
LAST_WRITERS = """
    SELECT DISTINCT ON (dedupe_key, month) dedupe_key, month, import_id
    FROM accounting_eventrevision
    WHERE organization_id = %(organization)s
      AND dedupe_key = ANY(%(keys)s)
    ORDER BY dedupe_key, month, id DESC
"""
# In the order of the imports, so that two batches never wait for each other.
NOTE_OVERLAPS = """
    INSERT INTO accounting_importoverlap (organization_id, earlier_import_id, later_import_id)
    SELECT %(organization)s, earlier, later
    FROM unnest(%(earlier)s::bigint[], %(later)s::bigint[]) AS met (earlier, later)
    WHERE NOT EXISTS (
        SELECT 1 FROM accounting_importoverlap AS o
        WHERE o.organization_id = %(organization)s
          AND o.earlier_import_id = met.earlier
          AND o.later_import_id = met.later
    )
    ORDER BY earlier, later
    ON CONFLICT DO NOTHING
"""
FOLLOW_TO_MONTH = """
    UPDATE accounting_eventrevision AS r
    SET month = moved.month
    FROM unnest(%(keys)s::bytea[], %(old_months)s::date[], %(months)s::date[])
      AS moved (dedupe_key, old_month, month)
    WHERE r.organization_id = %(organization)s
      AND r.dedupe_key = moved.dedupe_key
      AND r.month = moved.old_month
"""
# Uses the primary key.
KEEP_FORMER = """
    INSERT INTO accounting_eventrevision
        (organization_id, import_id, dedupe_key, month, price_version, former)
    SELECT e.organization_id, c.import_id, e.dedupe_key, c.month, c.price_version, to_jsonb(e)
    FROM unnest(%(keys)s::bytea[], %(old_months)s::date[], %(months)s::date[],
                %(imports)s::bigint[], %(versions)s::bigint[])
      AS c (dedupe_key, old_month, month, import_id, price_version)
    JOIN accounting_usageevent AS e
      ON e.organization_id = %(organization)s
     AND e.dedupe_key = c.dedupe_key
     AND e.month = c.old_month
    ORDER BY e.dedupe_key, e.month
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replaced:
    booked: Booked
    by: int
    is_kept: bool


class Overlaps:
    """What one batch met. Its stored rows must be locked from before this is made until it is kept."""

    def __init__(self, organization_id: int, keys: Collection[bytes]) -> None:
        """keys: of the stored rows that the batch tells again. One query, none where there are none."""
        self._organization_id = organization_id
        self._writers = _last_writers(organization_id, keys) if keys else {}
        self._met: set[tuple[int, int]] = set()
        self._replaced: list[_Replaced] = []

    def meet(self, values: Mapping[str, Any], *, by: int) -> None:
        """An import tells a stored row again."""
        writer = self._writer(values)
        if writer != by:
            self._met.add((writer, by))

    def replace(self, values: Mapping[str, Any], booked: Booked, *, by: int) -> None:
        """An import's telling is about to change a stored row into a booked one."""
        self._replaced.append(_Replaced(booked=booked, by=by, is_kept=self._writer(values) != by))

    def keep(self) -> None:
        """Write down who met whom, and the rows before they are replaced. At most three queries."""
        note_overlaps(self._organization_id, self._met)
        follow_to_months(self._organization_id, [one.booked for one in self._replaced])
        kept = [one for one in self._replaced if one.is_kept]
        if kept:
            wanted: dict[str, Any] = {
                **_columns(self._organization_id, [one.booked for one in kept]),
                "imports": [one.by for one in kept],
                "versions": [one.booked.charge.price_version for one in kept],
            }
            with connection.cursor() as cursor:
                cursor.execute(KEEP_FORMER, wanted)

    def _writer(self, values: Mapping[str, Any]) -> int:
        """The import that wrote a stored row last: without a revision the one that recorded it."""
        recorder: int = values["import_id"]
        return self._writers.get((values["dedupe_key"], values["month"]), recorder)


def note_overlaps(organization_id: int, met: Collection[tuple[int, int]]) -> None:
    """Write down pairs of an earlier and a later import that told the same. At most one query."""
    if met:
        earlier, later = zip(*sorted(met), strict=True)
        wanted: dict[str, Any] = {
            "organization": organization_id,
            "earlier": list(earlier),
            "later": list(later),
        }
        with connection.cursor() as cursor:
            cursor.execute(NOTE_OVERLAPS, wanted)


def follow_to_months(organization_id: int, booked: Sequence[Booked]) -> None:
    """Let revisions follow the events that move to another month. At most one query."""
    moving = [one for one in booked if one.month != one.old_month]
    if moving:
        with connection.cursor() as cursor:
            cursor.execute(FOLLOW_TO_MONTH, _columns(organization_id, moving))


def forget_telling(organization_id: int, import_ids: Sequence[int]) -> None:
    """Drop what these imports have replaced and whom they met: they are no longer in the books."""
    EventRevision.objects.of(organization_id).filter(import_id__in=import_ids).delete()
    AggregateRevision.objects.of(organization_id).filter(import_id__in=import_ids).delete()
    ImportOverlap.objects.of(organization_id).filter(
        Q(later_import_id__in=import_ids) | Q(earlier_import_id__in=import_ids)
    ).delete()


def _last_writers(organization_id: int, keys: Collection[bytes]) -> dict[tuple[bytes, date], int]:
    with connection.cursor() as cursor:
        cursor.execute(LAST_WRITERS, {"organization": organization_id, "keys": list(keys)})
        return {(bytes(key), month): writer for key, month, writer in cursor.fetchall()}


def _columns(organization_id: int, booked: Sequence[Booked]) -> dict[str, Any]:
    return {
        "organization": organization_id,
        "keys": [one.key for one in booked],
        "old_months": [one.old_month for one in booked],
        "months": [one.month for one in booked],
    }
