"""Month partitions of the ledger, made ahead of posting and never inside it."""

from collections.abc import Iterable
from datetime import date, datetime

from django.db import connection, transaction

from accounting.domain.periods import FIRST_YEAR, LAST_YEAR, month_of, next_month
from accounting.services.dryrun import is_dry

LEDGER = "accounting_usageevent"
_LOCK = 77

# Reads the catalog by snapshot: to_regclass may answer from a cache that has not yet heard of a
# partition which another session made while we waited for the lock.
PARTITIONS = f"""
    SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
    WHERE inhparent = '{LEDGER}'::regclass
"""


def ensure_months(moments: Iterable[datetime]) -> None:
    """Make the partitions that events at these moments need, each in a transaction of its own.

    LIKE + ATTACH holds the parent only against other changes of its shape; PARTITION OF would wait
    for every open posting, and inside posting two workers would wait for each other.
    """
    if is_dry():
        return
    for month in _missing({month_of(moment) for moment in moments}):
        make_month(month)


def make_month(month: date) -> bool:
    """Make one month's partition if it is missing; whether it was."""
    if not FIRST_YEAR <= month.year <= LAST_YEAR:
        raise ValueError(f"{month} is outside the years the books cover")
    name = f"{LEDGER}_{month:%Y_%m}"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [_LOCK, LEDGER])
        cursor.execute(PARTITIONS)
        if name in {partition for (partition,) in cursor.fetchall()}:
            return False
        cursor.execute(f"CREATE TABLE {name} (LIKE {LEDGER} INCLUDING ALL)")
        cursor.execute(
            f"ALTER TABLE {LEDGER} ATTACH PARTITION {name} "
            f"FOR VALUES FROM ('{month}') TO ('{next_month(month)}')"
        )
        return True


def _missing(months: set[date]) -> list[date]:
    with connection.cursor() as cursor:
        cursor.execute(PARTITIONS)
        made = {partition for (partition,) in cursor.fetchall()}
    return sorted(month for month in months if f"{LEDGER}_{month:%Y_%m}" not in made)
