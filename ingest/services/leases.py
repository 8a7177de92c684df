"""Leases: session advisory locks that say a process is at work on a row, and end with it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum

from django.db import Error, connection

TRY_LOCKS = """
    SELECT key, pg_try_advisory_lock(key)
    FROM unnest(%(keys)s::bigint[]) AS wanted (key)
"""
UNLOCK = "SELECT pg_advisory_unlock(key) FROM unnest(%(keys)s::bigint[]) AS held (key)"
# A one-number lock shows its upper half as classid and has objsubid 1.
ANY_HELD = """
    SELECT EXISTS (
        SELECT 1
        FROM pg_locks
        WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND classid = %(kind)s::bigint::oid
          AND objsubid = 1
    )
"""


class Lease(IntEnum):
    """What is held. The one-number locks are a space apart from the pairs that posting takes."""

    CHUNK = 0x7A11_0001
    IMPORT = 0x7A11_0002
    FOLDER = 0x7A11_0003


@contextmanager
def lease(kind: Lease, row_id: int) -> Iterator[bool]:
    """Try to hold a row's lease for the block; False when another session has it.

    Must not begin inside a transaction: an aborted one could not give the lease back.
    """
    with leases(kind, [row_id]) as held:
        yield bool(held)


@contextmanager
def leases(kind: Lease, row_ids: Sequence[int]) -> Iterator[list[int]]:
    """Hold the leases of those rows that no other session holds, for the block; those rows.

    Must not begin inside a transaction, as `lease`. One query before and one after.
    """
    keys = {_key(kind, row_id): row_id for row_id in row_ids}
    with connection.cursor() as cursor:
        cursor.execute(TRY_LOCKS, {"keys": list(keys)})
        held = [key for key, is_held in cursor.fetchall() if is_held]
    try:
        yield [keys[key] for key in held]
    finally:
        # A broken connection has given the leases back already.
        with suppress(Error), connection.cursor() as cursor:
            cursor.execute(UNLOCK, {"keys": held})


def is_any_held(kind: Lease) -> bool:
    """Whether some session holds a lease of this kind."""
    with connection.cursor() as cursor:
        cursor.execute(ANY_HELD, {"kind": int(kind)})
        return bool(cursor.fetchone()[0])


def _key(kind: Lease, row_id: int) -> int:
    return (kind << 32) | (row_id & 0xFFFF_FFFF)
