"""Keeping the sums of the ledger: posting adds differences, a rebuild stores the sums of all rows."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from django.db import connection, transaction

from accounting.models import Organization
from accounting.services.closed_months import refuse_closed
from accounting.services.locks import lock_books
from accounting.services.rollup_shape import Rollup
from accounting.services.rollup_sums import OF_CHARGES, ROLLUPS

_EVERY_ROW = (
    "(SELECT 1 AS sign, * FROM accounting_usageevent WHERE organization_id = %(organization)s)"
)

#: The rows of a rollup that were just added to, with what they still count.
_MAKE_TOUCHED = """
    CREATE TEMPORARY TABLE IF NOT EXISTS rollup_touched (id bigint, counted bigint)
        ON COMMIT DELETE ROWS;
    DELETE FROM rollup_touched
"""
# An array, so that the rows are found by their ids whatever the planner believes of the table.
_EMPTIED = "ARRAY(SELECT id FROM rollup_touched WHERE counted = 0)"

#: Keys of rollups that may be NULL.
NULLABLE_KEYS = frozenset({"api_key_id"})


def add_differences(organization_id: int, zone: str, *, source: str, with_losses: bool) -> None:
    """Add the sums of signed rows to every rollup, each in the order of its keys.

    source: a table of ledger rows with a sign. with_losses: whether it holds negative ones; then
    emptied rows are deleted and the spans of touched sessions are read again from the ledger.
    """
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            if with_losses:
                _add_with_losses(cursor, rollup, source, parameters)
            else:
                cursor.execute(_added(rollup, source), parameters)


def add_condensed(
    parameters: dict[str, Any], sources: Mapping[str, str], *, with_losses: bool
) -> None:
    """As add_differences, of signed rows that were summed by every key of the rollups.

    sources: by what a rollup reads: sums and latencies, tables that were summed, and events, a SELECT
    of the single rows. parameters: of that, with organization and zone.
    """
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            told = rollup if rollup.reads == "events" else rollup.condensed
            source = sources[rollup.reads]
            if with_losses:
                _add_with_losses(cursor, told, source, parameters, spans=rollup)
            else:
                cursor.execute(_added(told, source), parameters)


def add_charge_differences(
    organization_id: int, zone: str, *, source: str, moved: Collection[str]
) -> None:
    """Add signed rows that differ in their charges alone: same counts, same times.

    moved: the keys that differ too, such as the currency. A rollup that has none of them keeps its
    rows, so that amounts alone are added.
    """
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            if any(name in rollup.keys for name in moved):
                _add_with_losses(cursor, rollup, source, parameters)
                continue
            sums = {name: value for name, value in rollup.sums.items() if name in OF_CHARGES}
            if sums:
                cursor.execute(_added(replace(rollup, sums=sums), source), parameters)


def rebuild(*, organization_id: int) -> int:
    """Store the sums of the whole ledger of an organization anew; the number of rows written."""
    with transaction.atomic():
        lock_books(organization_id)
        return _rebuilt(organization_id)


def change_time_zone(*, organization_id: int, time_zone: str) -> int:
    """Cut hours and days by another zone from now on; the number of rollup rows written.

    Nobody posts meanwhile: a batch that waits reads the new zone once it has its locks. Raises
    MonthClosedError once a month is closed: its days would be other days.
    """
    with transaction.atomic():
        lock_books(organization_id)
        refuse_closed(organization_id)
        Organization.objects.filter(pk=organization_id).update(time_zone=time_zone)
        return _rebuilt(organization_id)


def differences(*, organization_id: int) -> dict[str, int]:
    """Rows that differ from the sums of the ledger, per rollup table, and keys in two months.

    All are 0 when the books are right. Each table is compared in one statement, hence at one moment.
    """
    zone = Organization.objects.get(pk=organization_id).time_zone
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    found: dict[str, int] = {}
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            cursor.execute(_differing(rollup), parameters)
            found[rollup.table] = cursor.fetchone()[0]
        cursor.execute(KEYS_IN_TWO_MONTHS, parameters)
        found["keys_in_two_months"] = cursor.fetchone()[0]
    return found


KEYS_IN_TWO_MONTHS = """
    SELECT count(*) FROM (
        SELECT dedupe_key FROM accounting_usageevent WHERE organization_id = %(organization)s
        GROUP BY dedupe_key HAVING count(*) > 1
    ) AS twice
"""


def _add_with_losses(
    cursor: Any,
    rollup: Rollup,
    source: str,
    parameters: dict[str, Any],
    *,
    spans: Rollup | None = None,
) -> None:
    """spans: the rollup that says what they are of single rows, where this one's are summed."""
    cursor.execute(_MAKE_TOUCHED)
    cursor.execute(
        f"WITH added AS ({_added(rollup, source)} RETURNING t.id, t.{rollup.counted})"
        " INSERT INTO rollup_touched SELECT * FROM added",
        parameters,
    )
    cursor.execute(f"DELETE FROM {rollup.table} WHERE id = ANY ({_EMPTIED})")
    if rollup.spans:
        cursor.execute(_spans_again(spans or rollup, source), parameters)


def _rebuilt(organization_id: int) -> int:
    zone = Organization.objects.get(pk=organization_id).time_zone
    parameters: dict[str, int | str] = {"organization": organization_id, "zone": zone}
    written = 0
    with connection.cursor() as cursor:
        for rollup in ROLLUPS:
            cursor.execute(
                f"DELETE FROM {rollup.table} WHERE organization_id = %(organization)s", parameters
            )
            cursor.execute(
                f"INSERT INTO {rollup.table} ({rollup.columns}) {rollup.summed(_EVERY_ROW)}"
                f"{_in_order_of_time(rollup)}",
                parameters,
            )
            written += cursor.rowcount
    return written


def _in_order_of_time(rollup: Rollup) -> str:
    """Rows lie as if they had come one after the other: what is of one day is read together."""
    times = [
        name for name in ("hour", "day", "started_at") if name in (*rollup.keys, *rollup.spans)
    ]
    return f" ORDER BY {', '.join(times)}" if times else ""


def _added(rollup: Rollup, source: str) -> str:
    found_by = rollup.found_by or tuple(rollup.keys)
    updates = [f"{name} = t.{name} + excluded.{name}" for name in rollup.sums]
    updates += [
        f"{name} = {'least' if how == 'min' else 'greatest'}(t.{name}, excluded.{name})"
        for name, (how, _) in rollup.spans.items()
    ]
    return (
        f"INSERT INTO {rollup.table} AS t ({rollup.columns}) {rollup.summed(source)} "
        f"ORDER BY {', '.join(found_by)} "
        f"ON CONFLICT ({', '.join(found_by)}) DO UPDATE SET {', '.join(updates)}"
    )


def _same_keys(rollup: Rollup) -> str:
    """Equality wherever a key is never NULL: only that can be joined by hash or index."""
    return " AND ".join(
        f"t.{name} {'IS NOT DISTINCT FROM' if name in NULLABLE_KEYS else '='} c.{name}"
        for name in rollup.keys
    )


def _spans_again(rollup: Rollup, source: str) -> str:
    """Read the spans of rows that lost something and are left; the emptied are gone already."""
    keys = ", ".join(f"e.{name}" for name in rollup.keys)
    spans = ", ".join(f"{how}({value}) AS {name}" for name, (how, value) in rollup.spans.items())
    left = (
        f"SELECT DISTINCT t.session_id FROM {rollup.table} AS t "
        f"JOIN (SELECT DISTINCT {', '.join(rollup.keys)} FROM {source} AS e "
        f"WHERE sign < 0 AND {rollup.only}) AS c ON {_same_keys(rollup)} "
        f"WHERE t.organization_id = %(organization)s"
    )
    return (
        f"UPDATE {rollup.table} AS t SET {', '.join(f'{n} = c.{n}' for n in rollup.spans)} FROM "
        f"(SELECT {keys}, {spans} FROM accounting_usageevent AS e "
        # An array is read once: of tables without statistics a join would read it for every event.
        f"WHERE e.session_id = ANY (ARRAY({left})) "
        f"AND e.organization_id = %(organization)s AND {rollup.only} "
        f"GROUP BY {keys}) AS c WHERE {_same_keys(rollup)}"
    )


def _differing(rollup: Rollup) -> str:
    stored = f"SELECT {rollup.columns} FROM {rollup.table} WHERE organization_id = %(organization)s"
    right = rollup.summed(_EVERY_ROW)
    return (
        f"WITH stored AS ({stored}), right_ones AS ({right}) SELECT count(*) FROM ("
        "(TABLE stored EXCEPT ALL TABLE right_ones) UNION ALL "
        "(TABLE right_ones EXCEPT ALL TABLE stored)) AS differing"
    )
