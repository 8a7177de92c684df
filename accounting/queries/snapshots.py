"""One moment of the books for several statements, and rows that are read while they are used."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

#: So many rows are read from the server at a time.
CHUNK_ROWS = 1_000


@contextmanager
def snapshot() -> Iterator[None]:
    """Everything asked inside sees the books at one moment, and nothing can be written.

    Inside a transaction that has begun already it is that transaction's own view.
    """
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        if is_outermost:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield
