"""Leases: session advisory locks that say a process is at work on a row, and end with it."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum

from django.db import Error, connection


class Lease(IntEnum):
    """What is held. The one-number locks are a space apart from the pairs that posting takes."""

    CHUNK = 0x7A11_0001
    IMPORT = 0x7A11_0002


@contextmanager
def lease(kind: Lease, row_id: int) -> Iterator[bool]:
    """Try to hold a row's lease for the block; False when another session has it.

    Must not begin inside a transaction: an aborted one could not give the lease back.
    """
    key = (kind << 32) | (row_id & 0xFFFF_FFFF)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        is_held = bool(cursor.fetchone()[0])
    try:
        yield is_held
    finally:
        if is_held:
            # A broken connection has given the lease back already.
            with suppress(Error), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
