"""Changing the charges of events that exist, with what they were kept beside what they become.

Only the columns of the charge are written. What came and what went stands in posting_change, as
after posting, so that the same sums follow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import connection

from accounting.services.charged_events import CHARGE_COLUMNS, ChargedEvent
from accounting.services.columns import Charge

_BOTH = [f"{side}_{name}" for side in ("old", "new") for name in CHARGE_COLUMNS]
_KINDS = [*CHARGE_COLUMNS.values(), *CHARGE_COLUMNS.values()]
_HEAD = {
    "dedupe_key": "bytea",
    "month": "date",
    "occurred_at": "timestamptz",
    "content_digest": "bytea",
    "cause": "text",
    "correction_at": "timestamptz",
}
_COPY_TYPES = {"bigint": "int8", "money": "int8"}
MAKE_STAGE = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS reprice_stage (
        {", ".join(f"{name} {kind}" for name, kind in _HEAD.items())},
        {", ".join(f"{n} {'bigint' if k == 'money' else k}" for n, k in zip(_BOTH, _KINDS, strict=True))}
    ) ON COMMIT DELETE ROWS;
    DELETE FROM reprice_stage
"""
KEEP_REVISIONS = f"""
    INSERT INTO accounting_costrevision
        (organization_id, run_id, {", ".join((*_HEAD, *_BOTH))})
    SELECT %(organization)s,
           %(run)s,
           {
    ", ".join(
        (
            *_HEAD,
            *(
                f"trim_scale({name} * 1e-12)" if kind == "money" else name
                for name, kind in zip(_BOTH, _KINDS, strict=True)
            ),
        )
    )
}
    FROM reprice_stage
    ORDER BY occurred_at, dedupe_key
    RETURNING id
"""
_OF_REVISIONS = """
    FROM accounting_costrevision AS r
    JOIN accounting_usageevent AS e
      ON e.organization_id = r.organization_id
     AND e.dedupe_key = r.dedupe_key
     AND e.month = r.month
    WHERE r.id = ANY(%(ids)s)
      AND e.organization_id = %(organization)s
      AND e.month BETWEEN %(first)s AND %(last)s
"""
# Leaves alone what something else has changed since the run.
LOCK_UNCHANGED = f"""
    SELECT r.id
    {_OF_REVISIONS}
      AND r.correction_at IS NULL
      AND e.content_digest = r.content_digest
      AND e.occurred_at = r.occurred_at
      AND e.price_version = r.new_price_version
      AND e.cost IS NOT DISTINCT FROM r.new_cost
    ORDER BY e.dedupe_key, e.month
    FOR UPDATE OF e
"""
TAKE_OLD_AWAY = f"INSERT INTO posting_change SELECT -1, e.* {_OF_REVISIONS}"
BRING_NEW_IN = f"INSERT INTO posting_change SELECT 1, e.* {_OF_REVISIONS}"
TAKE_CORRECTIONS_AWAY = """
    WITH gone AS (
        DELETE FROM accounting_usageevent AS e
        WHERE e.organization_id = %(organization)s
          AND e.dedupe_key = ANY(%(keys)s)
          AND e.month = ANY(%(months)s)
        RETURNING e.*
    )
    INSERT INTO posting_change SELECT -1, gone.* FROM gone
"""
# A revision finds its event by the primary key; without statistics of what this transaction has just
# written, the planner might read whole months instead.
BY_KEY_ALONE = "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
AS_BEFORE = "SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """One event's charge as it was and as it is to be; correction_at as in CostRevision."""

    event: ChargedEvent
    cause: str
    correction_at: datetime | None
    old: Charge
    new: Charge


def keep_revisions(organization_id: int, run_id: int, revisions: Iterable[Revision]) -> list[int]:
    """Write down what a run changes; the ids of the rows, in the order of time."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE_STAGE)
        names = ", ".join((*_HEAD, *_BOTH))
        types = [_COPY_TYPES.get(kind, kind) for kind in (*_HEAD.values(), *_KINDS)]
        with cursor.copy(f"COPY reprice_stage ({names}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(types)
            for revision in revisions:
                copy.write_row(_staged(revision))
        cursor.execute(KEEP_REVISIONS, {"organization": organization_id, "run": run_id})
        return [number for (number,) in cursor.fetchall()]


def lock_unchanged(
    organization_id: int, ids: Sequence[int], months: tuple[date, date]
) -> list[int]:
    """Of these revisions, those whose events stand as the run left them; their events are locked."""
    with connection.cursor() as cursor:
        cursor.execute(BY_KEY_ALONE)
        cursor.execute(LOCK_UNCHANGED, _which(organization_id, ids, months))
        found = [number for (number,) in cursor.fetchall()]
        cursor.execute(AS_BEFORE)
        return found


def charge_events(
    organization_id: int, ids: Sequence[int], months: tuple[date, date], *, side: str
) -> None:
    """Give the events of these revisions their 'old' or their 'new' charge, by posting_change."""
    columns = ", ".join(CHARGE_COLUMNS)
    values = ", ".join(f"r.{side}_{name}" for name in CHARGE_COLUMNS)
    change = f"""
        UPDATE accounting_usageevent AS e
        SET ({columns}) = ROW ({values})
        FROM accounting_costrevision AS r
        WHERE e.organization_id = r.organization_id
          AND e.dedupe_key = r.dedupe_key
          AND e.month = r.month
          AND r.id = ANY(%(ids)s)
          AND e.organization_id = %(organization)s
          AND e.month BETWEEN %(first)s AND %(last)s
    """
    with connection.cursor() as cursor:
        cursor.execute(BY_KEY_ALONE)
        for statement in (TAKE_OLD_AWAY, change, BRING_NEW_IN):
            cursor.execute(statement, _which(organization_id, ids, months))
        cursor.execute(AS_BEFORE)


def take_corrections_away(
    organization_id: int, keys: Sequence[bytes], months: Sequence[date]
) -> None:
    """Delete correction rows from the ledger, by posting_change."""
    with connection.cursor() as cursor:
        cursor.execute(
            TAKE_CORRECTIONS_AWAY,
            {"organization": organization_id, "keys": list(keys), "months": list(months)},
        )


def _staged(revision: Revision) -> tuple[Any, ...]:
    event = revision.event
    return (
        event.key,
        event.month,
        event.record.place.started_at,
        event.digest,
        revision.cause,
        revision.correction_at,
        *_values(revision.old),
        *_values(revision.new),
    )


def _values(charge: Charge) -> tuple[Any, ...]:
    return tuple(
        charge.state if name == "cost_state" else getattr(charge, name) for name in CHARGE_COLUMNS
    )


def _which(
    organization_id: int, ids: Sequence[int], months: tuple[date, date]
) -> Mapping[str, Any]:
    return {
        "organization": organization_id,
        "ids": list(ids),
        "first": months[0],
        "last": months[1],
    }
