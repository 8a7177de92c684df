"""How often a chunk was tried: counted before it is read, taken back where the database failed."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F
from psycopg.errors import AdminShutdown, CannotConnectNow, CrashShutdown, DiskFull

from accounting.models import Import
from ingest.models import InboxChunk
from ingest.services.points import passing
from ingest.services.quarantine import ATTEMPTS, set_aside

#: Chunks whose attempt this process could not take back, since the database failed at that too.
_owed: deque[int] = deque()


#: What the server says of itself. A connection that breaks says nothing: the chunk may have broken it.
_OF_THE_SERVER = (DiskFull, AdminShutdown, CrashShutdown, CannotConnectNow)


@contextmanager
def attempting(chunk_ids: Sequence[int]) -> Iterator[list[InboxChunk]]:
    """An attempt at each chunk that is still ready, for the block; the caller holds the leases.

    A server that is full or ends is no chunk's fault, and nothing is begun before that was taken back: else
    a full disk would set aside all that waits. Whoever charges a chunk by itself takes it out of the list.
    """
    settle()
    open_ids = begin(chunk_ids)
    begun: list[InboxChunk] | None = None
    try:
        begun = _with_imports(open_ids)
        yield begun
    except OperationalError as error:
        if isinstance(error.__cause__, _OF_THE_SERVER):
            _owed.extend(open_ids if begun is None else (chunk.pk for chunk in begun))
            with suppress(OperationalError, InterfaceError):
                settle()
        raise


def settle() -> None:
    """Take back what is owed. Raises the error of a database that still fails."""
    while _owed:
        chunk_id = _owed.popleft()
        try:
            give_back([chunk_id])
        except (OperationalError, InterfaceError):
            _owed.append(chunk_id)
            raise


def begin(chunk_ids: Sequence[int]) -> list[int]:
    """Count an attempt for each chunk that is still ready; those chunks.

    It is a commit of its own, for it must outlive a worker that is killed. A chunk that has used its
    attempts up is set aside instead. The caller holds the leases.
    """
    with transaction.atomic():
        held = InboxChunk.objects.select_for_update(of=("self",)).order_by("pk")
        begun = []
        for chunk in held.filter(pk__in=chunk_ids, state="ready"):
            if chunk.attempts >= ATTEMPTS:
                ended = f"the worker ended {ATTEMPTS} times while reading it"
                set_aside(chunk, chunk.reason or ended)
            else:
                begun.append(chunk.pk)
        chunks = InboxChunk.objects.filter(pk__in=begun)
        chunks.update(attempts=F("attempts") + 1)
        waiting = Import.objects.filter(state="ready", chunks__in=begun).order_by("pk")
        locked = waiting.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True)
        Import.objects.filter(pk__in=list(locked)).update(state="reading")
    passing("read.begun")
    return begun


def _with_imports(chunk_ids: Sequence[int]) -> list[InboxChunk]:
    chunks = InboxChunk.objects.filter(pk__in=chunk_ids).order_by("pk")
    return list(chunks.select_related("source_import", "source_import__api_key"))


def give_back(chunk_ids: Iterable[int]) -> None:
    """Take an attempt back at each chunk, whose own failure it was not."""
    begun = InboxChunk.objects.filter(pk__in=list(chunk_ids), state="ready", attempts__gt=0)
    begun.update(attempts=F("attempts") - 1)
