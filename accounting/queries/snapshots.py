"""One moment of the books for several statements, and rows that are read while they are used."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

#: So many rows are read from the server at a time.
CHUNK_ROWS = 1_000


@contextmanager
def snapshot() -> Iterator[None]:
    """Everything asked inside sees the books at one moment, and nothing can be written.

    Inside a transaction that has begun already it is that transaction's own view, without a savepoint:
    an answer that nobody reads to its end is given up at any time, and must not take back what others
    did meanwhile.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
