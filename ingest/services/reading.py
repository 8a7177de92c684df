"""Reads the inbox: a chunk at a time, each in one transaction with its mark of progress.

A worker holds a chunk by a session lock while it reads and by the row's lock while it posts; both
end with the worker, so a killed one costs nothing but the time it took.
"""

import time
from collections.abc import Callable, Collection, Iterator
from datetime import timedelta
from functools import partial

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from accounting.models import Import
from accounting.models.imports import UNFINISHED_IMPORTS
from accounting.services.posting import ensure_months
from ingest.models import InboxChunk
from ingest.services import circuit
from ingest.services.attempts import attempting
from ingest.services.booking import retried
from ingest.services.chunks import book_chunk, read
from ingest.services.collecting import uncollected
from ingest.services.leases import Lease, is_any_held, lease
from ingest.services.points import passing
from ingest.services.quarantine import formats_in_order, is_its_own, note_failure
from ingest.services.together import TOGETHER_CHUNKS, Waiting, read_together, turns

_POLL_S = 0.1


def read_waiting(
    *,
    seconds: float,
    import_id: int | None = None,
    call_help: Callable[[], None] = lambda: None,
) -> bool:
    """Read waiting chunks until none is left or the time is up; whether some are left.

    import_id: only chunks of this import. A chunk that failed is left for the next call. While the
    circuit is open nothing is read, and nothing is left that could be. call_help: called before
    the first turn where there are more, which another worker could take.
    """
    ends_at = time.monotonic() + seconds
    tried: set[int] = set()
    while True:
        waiting = list(_waiting(tried, import_id))
        if not waiting:
            return False
        found = list(turns(waiting))
        if len(found) > 1 and not tried:
            call_help()
        for turn in found:
            if circuit.is_open():
                return False
            if time.monotonic() > ends_at:
                return True
            tried.update(turn)
            alone = turn if len(turn) == 1 else read_together(turn)
            for chunk_id in alone:
                read_chunk(chunk_id)


def is_left_alone(late: timedelta) -> bool:
    """Whether a chunk has been waiting for so long, and no worker reads any."""
    waiting = _readable_chunks((), None).filter(created_at__lt=Now() - late)
    return not is_any_held(Lease.CHUNK) and waiting.exists() and not circuit.is_open()


def read_import(import_id: int, *, seconds: float) -> Import:
    """Read an import's chunks, or wait for the workers that do; the import as it is then."""
    ends_at = time.monotonic() + seconds
    while True:
        read_waiting(seconds=ends_at - time.monotonic(), import_id=import_id)
        source = Import.objects.get(pk=import_id)
        is_over = source.state not in UNFINISHED_IMPORTS or circuit.is_open()
        if is_over or time.monotonic() > ends_at:
            return source
        time.sleep(_POLL_S)


def read_chunk(chunk_id: int) -> None:
    """Read one chunk unless another worker does; a chunk that fails too often is quarantined.

    Only errors of the database are raised.
    """
    with lease(Lease.CHUNK, chunk_id) as is_mine:
        if not is_mine:
            return
        with attempting([chunk_id]) as begun:
            for chunk in begun:
                try:
                    with uncollected():
                        one = read(chunk)
                        ensure_months(one.outcomes.moments())
                        retried(partial(book_chunk, one))
                except Exception as error:
                    if not is_its_own(error):
                        raise
                    note_failure(chunk_id, error)
                else:
                    passing("read.committed")


def _waiting(tried: Collection[int], import_id: int | None) -> Iterator[Waiting]:
    in_order = formats_in_order()
    fields = ("pk", "organization_id", "source_import_id", "size", "attempts")
    more = ("source_import__door", "source_import__format")
    chunks = _readable_chunks(tried, import_id).values_list(*fields, *more)[:TOGETHER_CHUNKS]
    for number, organization_id, source, size, attempts, door, known in chunks:
        yield Waiting(
            chunk_id=number,
            organization_id=organization_id,
            import_id=source,
            size=size,
            attempts=attempts,
            is_whole_push=door == "push" and known not in in_order,
        )


def _readable_chunks(
    tried: Collection[int], import_id: int | None
) -> QuerySet[InboxChunk, InboxChunk]:
    """Ready chunks, oldest first; where the order matters only those whose forerunner is done.

    Those that failed before come after the others: a chunk that ends every worker must not be the
    first that the next one takes.
    """
    in_order = formats_in_order()
    forerunner = InboxChunk.objects.filter(
        source_import=OuterRef("source_import"), number=OuterRef("number") - 1
    ).exclude(state="done")
    ready = InboxChunk.objects.filter(state="ready").exclude(pk__in=tried)
    if import_id is not None:
        ready = ready.filter(source_import_id=import_id)
    may_go = ~Q(source_import__format__in=in_order) | ~Exists(forerunner)
    return ready.filter(may_go).order_by("attempts", "pk")
