"""Statements on the ledger: staging rows, inserting new ones, rewriting old ones, signed changes.

Three session-temporary tables carry a batch: `posting_stage` (rows to be), `posting_rewrite` (rows
that replace stored ones) and `posting_change` (signed rows: what went, and what came in its place). They
empty themselves at commit.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from psycopg.types.string import BytesBinaryDumper

from accounting.services.columns import COLUMNS, NAMES, Booked, row

# Money is staged as whole picos, JSON as its text.
_STAGE_TYPES = {
    **{
        column.name: {"money": "bigint", "jsonb": "text"}.get(column.stage_type, column.stage_type)
        for column in COLUMNS
    },
    "wide": "boolean",
    "old_month": "date",
}
_STAGED = ", ".join(f"{name} {kind}" for name, kind in _STAGE_TYPES.items())
_JSON = frozenset(column.name for column in COLUMNS if column.stage_type == "jsonb")
_NAMES = ", ".join(NAMES)
_COPY_TYPES = {
    "bigint": "int8",
    "smallint": "int2",
    "boolean": "bool",
    "double precision": "float8",
}
#: Columns by which staged rows are found: they are copied even where all rows have the same.
_FOUND_BY = frozenset({"organization_id", "dedupe_key", "month", "import_id", "wide", "old_month"})
#: A batch of fewer rows is copied as it is: looking for what they share costs more than it saves.
MANY = 50

MAKE_STAGE = f"""
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_stage ({_STAGED})
        ON COMMIT DELETE ROWS;
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_rewrite ({_STAGED})
        ON COMMIT DELETE ROWS;
    CREATE TEMPORARY TABLE IF NOT EXISTS posting_change
        (sign smallint, LIKE public.accounting_usageevent) ON COMMIT DELETE ROWS;
    DELETE FROM posting_stage;
    DELETE FROM posting_rewrite;
    DELETE FROM posting_change
"""

INSERT_NEW = f"""
    INSERT INTO accounting_usageevent ({_NAMES})
    SELECT {{values}}
    FROM posting_stage AS s {{only}}
    ORDER BY s.dedupe_key
    ON CONFLICT (organization_id, dedupe_key, month) DO NOTHING
    RETURNING dedupe_key
"""
# Uses the primary key: a wide key is looked for in every month, under its shard's lock. Asked of a batch
# without wide keys, too, it would cost a sixth of the insert.
NOT_IN_ANOTHER_MONTH = """
    WHERE NOT (s.wide AND EXISTS (
        SELECT 1 FROM accounting_usageevent AS e
        WHERE e.organization_id = s.organization_id AND e.dedupe_key = s.dedupe_key
    ))
"""
# Uses the primary key.
NOTE_NEW = """
    INSERT INTO posting_change
    SELECT 1, e.*
    FROM accounting_usageevent AS e
    JOIN posting_stage AS s USING (organization_id, dedupe_key, month)
    WHERE e.dedupe_key = ANY(%(new)s)
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
    SET ({_NAMES}) = ROW ({{values}})
    FROM posting_rewrite AS s
    WHERE {_SAME_KEY} AND s.old_month = e.month AND s.month = s.old_month
"""
# It was received when it first was, wherever it stands.
MOVE_IN = f"""
    INSERT INTO accounting_usageevent ({_NAMES}, received_at)
    SELECT {{values}}, e.received_at
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A batch in its table. What all of its rows share is not copied but told as a value.

    Most columns of a log say the same in every line, or nothing: a third of them is copied.
    """

    rows: int
    shared: dict[str, Any]
    has_wide: bool

    @property
    def values(self) -> str:
        """What each column of the ledger is given, in the order of NAMES."""
        # trim_scale drops the zeros that the product would otherwise carry.
        return ", ".join(
            f"trim_scale({self.value(column.name)} * 1e-12)"
            if column.is_money
            else self.value(column.name)
            for column in COLUMNS
        )

    def named(self, names: Iterable[str] = NAMES) -> str:
        """Columns of the ledger under their names, amounts in picos."""
        return ", ".join(f"{self.value(name)} AS {name}" for name in names)

    def value(self, name: str) -> str:
        """What a column of the ledger is given, an amount in picos: of a staged row s, or what all share."""
        value = f"%({name})s::{_STAGE_TYPES[name]}" if name in self.shared else f"s.{name}"
        return f"{value}::jsonb" if name in _JSON else value


def stage(batch: Iterable[Booked]) -> Staged:
    """Put a batch into posting_stage; empties all three tables first."""
    with connection.cursor() as cursor:
        cursor.execute(MAKE_STAGE)
    return _copy("posting_stage", batch)


def insert_new(staged: Staged) -> set[bytes]:
    """Insert the staged rows whose keys are new; their keys."""
    only = NOT_IN_ANOTHER_MONTH if staged.has_wide else ""
    with connection.cursor() as cursor:
        cursor.execute(INSERT_NEW.format(values=staged.values, only=only), staged.shared)
        return {bytes(key) for (key,) in cursor.fetchall()}


def note_new(new: Collection[bytes]) -> None:
    """Put rows that were just inserted into posting_change."""
    with connection.cursor() as cursor:
        cursor.execute(NOTE_NEW, {"new": list(new)})


def lock_old(keys: Sequence[bytes]) -> list[dict[str, Any]]:
    """Lock the stored rows of staged keys, in key order, and return them."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_OLD, {"keys": list(keys)})
        return [named(values) for values in cursor.fetchall()]


def rewrite(batch: Sequence[Booked]) -> None:
    """Replace stored rows by these; a row whose month changes moves to its new partition."""
    if not batch:
        return
    staged = _copy("posting_rewrite", batch)
    with connection.cursor() as cursor:
        cursor.execute(TAKE_OLD_AWAY)
        cursor.execute(MOVE_AWAY)
        cursor.execute(REWRITE.format(values=staged.values), staged.shared)
        cursor.execute(MOVE_IN.format(values=staged.values), staged.shared)
        cursor.execute(BRING_NEW_IN)


def _copy(table: str, batch: Iterable[Booked]) -> Staged:
    rows = [row(booked) for booked in batch]
    columns = dict(zip(_STAGE_TYPES, zip(*rows, strict=True), strict=True)) if rows else {}
    shared = _shared(columns) if len(rows) >= MANY else {}
    copied = [name for name in columns if name not in shared]
    statement = f"COPY {table} ({', '.join(copied)}) FROM STDIN (FORMAT BINARY)"
    if rows:
        with connection.cursor() as cursor:
            # The one that is registered for Binary objects too is several times slower.
            cursor.adapters.register_dumper(bytes, BytesBinaryDumper)
            with cursor.copy(statement) as copy:
                copy.set_types(
                    [_COPY_TYPES.get(_STAGE_TYPES[name], _STAGE_TYPES[name]) for name in copied]
                )
                for values in zip(*(columns[name] for name in copied), strict=True):
                    copy.write_row(values)
    return Staged(rows=len(rows), shared=shared, has_wide=any(columns.get("wide", ())))


def _shared(columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    return {
        name: values[0]
        for name, values in columns.items()
        if name not in _FOUND_BY
        and values[0] == values[-1]
        and values.count(values[0]) == len(values)
    }


def named(values: Sequence[Any]) -> dict[str, Any]:
    """A row of the ledger, read in the order of NAMES, by column name."""
    by_name = dict(zip(NAMES, values, strict=True))
    by_name["dedupe_key"] = bytes(by_name["dedupe_key"])
    return by_name
