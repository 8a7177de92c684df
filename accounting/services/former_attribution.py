"""Rules applied to rows that imports replaced: undone later, they come back to where they belong now."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from accounting.domain.money import from_picos, plain
from accounting.models import Organization
from accounting.services import ledger
from accounting.services.charged_events import CHARGE_COLUMNS
from accounting.services.closed_months import closed_calendar
from accounting.services.columns import NAMES, Booked, charge_of
from accounting.services.locks import SHARDS, lock_shards
from accounting.services.moved_events import Movers

# Uses the primary keys of both.
FORMER = f"""
    SELECT r.id, {", ".join(f"f.{name}" for name in NAMES)}
    FROM accounting_eventrevision AS r
    JOIN accounting_usageevent AS e
      ON e.organization_id = r.organization_id
     AND e.dedupe_key = r.dedupe_key
     AND e.month = r.month
    CROSS JOIN LATERAL jsonb_populate_record(e, r.former) AS f
    WHERE r.organization_id = %(organization)s
      AND r.id > %(after)s
      AND f.occurred_at >= %(start)s
      AND f.occurred_at < %(end)s
    ORDER BY r.id
    LIMIT %(limit)s
"""
CHANGE_FORMER = """
    UPDATE accounting_eventrevision AS r
    SET former = r.former || c.change::jsonb
    FROM unnest(%(ids)s::bigint[], %(changes)s::text[]) AS c (id, change)
    WHERE r.id = c.id
"""


def move_former(
    organization_id: int, movers: Movers, *, start: datetime, end: datetime, chunk: int
) -> int:
    """Move the replaced rows of a half-open span, chunk by chunk; how many moved."""
    moved = after = 0
    while True:
        with transaction.atomic():
            # Keeps undoing out, which puts these rows back, and closing a month.
            lock_shards(organization_id, dict.fromkeys(range(SHARDS), False))
            rows = _next(organization_id, after, start, end, chunk)
            moved += _change(organization_id, rows, movers)
        if len(rows) < chunk:
            return moved
        after = rows[-1][0]


def _next(
    organization_id: int, after: int, start: datetime, end: datetime, limit: int
) -> list[tuple[int, dict[str, Any]]]:
    wanted: dict[str, Any] = {
        "organization": organization_id,
        "after": after,
        "start": start,
        "end": end,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(FORMER, wanted)
        return [(number, ledger.named(values)) for number, *values in cursor.fetchall()]


def _change(
    organization_id: int, rows: Sequence[tuple[int, Mapping[str, Any]]], movers: Movers
) -> int:
    calendar = closed_calendar(Organization.objects.get(pk=organization_id))
    changes = {
        number: json.dumps(_changed(values, booked))
        for number, values in rows
        if calendar.correction_at(values["occurred_at"]) is None
        and (booked := movers.moved(values)) is not None
    }
    if changes:
        with connection.cursor() as cursor:
            wanted: dict[str, Any] = {"ids": list(changes), "changes": list(changes.values())}
            cursor.execute(CHANGE_FORMER, wanted)
    return len(changes)


def _changed(values: Mapping[str, Any], booked: Booked) -> dict[str, Any]:
    """The columns of a row that change, as its JSON has them; amounts as texts, to lose no digit."""
    place, charge = booked.record.place, booked.charge
    change: dict[str, Any] = {
        "project_id": place.project_id,
        "project_basis": place.project_basis,
        "cost_center": place.cost_center,
    }
    if charge == charge_of(values):
        return change
    for name, kind in CHARGE_COLUMNS.items():
        value: Any = charge.state if name == "cost_state" else getattr(charge, name)
        is_amount = kind == "money" and value is not None
        change[name] = plain(from_picos(value)) if is_amount else value
    return change
