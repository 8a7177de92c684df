"""Empty books for the length of a block: session-temporary tables that shadow the real ones.

The same code then reads, rates and posts, waits for nobody, and leaves nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.db import connection

SHADOWED = (
    "accounting_usageevent",
    "accounting_usagehour",
    "accounting_usageday",
    "accounting_usagedayattribute",
    "accounting_usagedaycaller",
    "accounting_usagedaycell",
    "accounting_sessiontotal",
    "accounting_sessionwhole",
    "accounting_sessionuse",
    "accounting_latencyhour",
    "accounting_latencyday",
    "accounting_answerday",
    "accounting_import",
    "accounting_rejection",
    "accounting_run",
    "accounting_usageaggregate",
    "accounting_eventrevision",
    "accounting_aggregaterevision",
    "accounting_importoverlap",
    "ingest_inboxchunk",
)
_dry: ContextVar[bool] = ContextVar("dry", default=False)


def is_dry() -> bool:
    """Whether the books of this block are the empty, temporary ones."""
    return _dry.get()


@contextmanager
def empty_books() -> Iterator[None]:
    """Shadow the books with empty ones in this session; they are dropped at the end."""
    token = _dry.set(True)
    try:
        with connection.cursor() as cursor:
            for table in SHADOWED:
                cursor.execute(
                    f"CREATE TEMPORARY TABLE {table} (LIKE public.{table} INCLUDING ALL)"
                )
        yield
    finally:
        _dry.reset(token)
        with connection.cursor() as cursor:
            for table in SHADOWED:
                cursor.execute(f"DROP TABLE IF EXISTS pg_temp.{table}")
