"""Statements on the ledger: staging rows, inserting new ones, rewriting old ones, signed changes.

Three session-temporary tables carry a batch: `posting_stage` (rows to be), `posting_rewrite` (rows
that replace stored ones) and `posting_change` (signed rows: what came and what went). They empty
themselves at commit.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection

from accounting.services.columns import COLUMNS, NAMES, Booked, row

_STAGED = ", ".join(
    f"{column.name} {'bigint' if column.is_money else column.stage_type}" for column in COLUMNS
)
_NAMES = ", ".join(NAMES)
# Staged as whole picos; trim_scale drops the zeros that the product would otherwise carry.
_VALUES = ", ".join(
    f"trim_scale(s.{column.name} * 1e-12)" if column.is_money else f"s.{column.name}"
    for column in COLUMNS
)
_COPY_TYPES = {
    "bigint": "int8",
    "money": "int8",
    "smallint": "int2",
    "boolean": "bool",
    "double precision": "float8",
}
_TYPES = tuple(_COPY_TYPES.get(column.stage_type, column.stage_type) for column in COLUMNS)

MAKE_STAGE = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_stage ({_STAGED}, wide boolean, old_month date)
        ON COMMIT DELETE ROWS;
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_rewrite ({_STAGED}, wide boolean, old_month date)
        ON COMMIT DELETE ROWS;
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_change
        (sign smallint, LIKE public.accounting_usageevent) ON COMMIT DELETE ROWS;
    DELETE FROM posting_stage;
    DELETE FROM posting_rewrite;
    DELETE FROM posting_change
"""

# Uses the primary key: a wide key is looked for in every month, under its shard's lock.
INSERT_NEW = f"""
    WITH came AS (
        INSERT INTO accounting_usageevent ({_NAMES})
        SELECT {_VALUES}
        FROM posting_stage AS s
        WHERE NOT (s.wide AND EXISTS (
            SELECT 1 FROM accounting_usageevent AS e
            WHERE e.organization_id = s.organization_id AND e.dedupe_key = s.dedupe_key
        ))
        ORDER BY s.dedupe_key
        ON CONFLICT (organization_id, dedupe_key, month) DO NOTHING
        RETURNING *
    )
    INSERT INTO posting_change SELECT 1, came.* FROM came RETURNING dedupe_key
"""

# Uses the primary key. A new statement, so that it sees what others committed meanwhile.
LOCK_OLD = f"""
    SELECT {", ".join(f"e.{name}" for name in NAMES)}
    FROM accounting_usageevent AS e
    JOIN posting_stage AS s
      ON s.organization_id = e.organization_id
     AND s.dedupe_key = e.dedupe_key
     AND (s.wide OR s.month = e.month)
    WHERE e.dedupe_key = ANY(%(keys)s)
    ORDER BY e.dedupe_key, e.month
    FOR UPDATE OF e
"""

# One row for one row: the same key may stand in another month for another request.
_SAME_KEY = "s.organization_id = e.organization_id AND s.dedupe_key = e.dedupe_key"
TAKE_OLD_AWAY = f"""
    INSERT INTO posting_change
    SELECT -1, e.*
    FROM accounting_usageevent AS e
    JOIN posting_rewrite AS s ON {_SAME_KEY} AND s.old_month = e.month
"""
MOVE_AWAY = f"""
    DELETE FROM accounting_usageevent AS e USING posting_rewrite AS s
    WHERE {_SAME_KEY} AND s.old_month = e.month AND s.month <> s.old_month
"""
REWRITE = f"""
    UPDATE accounting_usageevent AS e
    SET ({_NAMES}) = ROW ({_VALUES})
    FROM posting_rewrite AS s
    WHERE {_SAME_KEY} AND s.old_month = e.month AND s.month = s.old_month
"""
# It was received when it first was, wherever it stands.
MOVE_IN = f"""
    INSERT INTO accounting_usageevent ({_NAMES}, received_at)
    SELECT {_VALUES}, e.received_at
    FROM posting_rewrite AS s
    JOIN posting_change AS e ON e.sign = -1 AND {_SAME_KEY} AND s.old_month = e.month
    WHERE s.month <> s.old_month
    ORDER BY s.dedupe_key
"""
BRING_NEW_IN = f"""
    INSERT INTO posting_change
    SELECT 1, e.*
    FROM accounting_usageevent AS e
    JOIN posting_rewrite AS s ON {_SAME_KEY} AND s.month = e.month
"""


def stage(batch: Iterable[Booked]) -> None:
    """Put a batch into posting_stage; empties all three tables first."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE_STAGE)
    _copy("posting_stage", batch)


def insert_new() -> set[bytes]:
    """Insert the staged rows whose keys are new; their keys."""
    with connection.cursor() as cursor:
        cursor.execute(INSERT_NEW)
        return {bytes(key) for (key,) in cursor.fetchall()}


def lock_old(keys: Sequence[bytes]) -> list[dict[str, Any]]:
    """Lock the stored rows of staged keys, in key order, and return them."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_OLD, {"keys": list(keys)})
        return [named(values) for values in cursor.fetchall()]


def rewrite(batch: Sequence[Booked]) -> None:
    """Replace stored rows by these; a row whose month changes moves to its new partition."""
    if not batch:
        return
    _copy("posting_rewrite", batch)
    with connection.cursor() as cursor:
        for statement in (TAKE_OLD_AWAY, MOVE_AWAY, REWRITE, MOVE_IN, BRING_NEW_IN):
            cursor.execute(statement)


def _copy(table: str, batch: Iterable[Booked]) -> None:
    statement = f"COPY {table} ({_NAMES}, wide, old_month) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types((*_TYPES, "bool", "date"))
        for booked in batch:
            copy.write_row(row(booked))


def named(values: Sequence[Any]) -> dict[str, Any]:
    """A row of the ledger, read in the order of NAMES, by column name."""
    by_name = dict(zip(NAMES, values, strict=True))
    by_name["dedupe_key"] = bytes(by_name["dedupe_key"])
    return by_name
