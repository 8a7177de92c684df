"""Reads the inbox: a chunk at a time, each in one transaction with its mark of progress.

A worker holds a chunk by a session lock while it reads and by the row's lock while it posts; both
end with the worker, so a killed one costs nothing but the time it took.
"""

import logging
import time
from collections.abc import Collection
from functools import partial

import msgspec
import zstandard
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from accounting.models import Import
from accounting.models.imports import UNFINISHED_IMPORTS
from accounting.services.posting import ensure_months
from accounting.services.statistics import after_import
from ingest.formats import FORMATS
from ingest.formats.base import Format, Scope, State
from ingest.formats.cutting import Cut, Layout, items_of
from ingest.formats.mapping import NAME as MAPPING
from ingest.models import InboxChunk
from ingest.services.attribution import attribution_of
from ingest.services.booking import book, readable, retried
from ingest.services.choices import choices_kept
from ingest.services.failures import named
from ingest.services.leases import Lease, lease
from ingest.services.outcomes import Outcomes, Reader
from ingest.services.tables import format_of

ATTEMPTS = 5
_CANDIDATES = 100
_POLL_S = 0.1

logger = logging.getLogger(__name__)


def read_waiting(*, seconds: float, import_id: int | None = None) -> bool:
    """Read waiting chunks until none is left or the time is up; whether some are left.

    import_id: only chunks of this import. A chunk that failed is left for the next call.
    """
    ends_at = time.monotonic() + seconds
    tried: set[int] = set()
    while True:
        chunk_ids = list(_readable_chunks(tried, import_id).values_list("pk", flat=True))
        if not chunk_ids:
            return False
        for chunk_id in chunk_ids:
            if time.monotonic() > ends_at:
                return True
            tried.add(chunk_id)
            read_chunk(chunk_id)


def read_import(import_id: int, *, seconds: float) -> Import:
    """Read an import's chunks, or wait for the workers that do; the import as it is then."""
    ends_at = time.monotonic() + seconds
    while True:
        read_waiting(seconds=ends_at - time.monotonic(), import_id=import_id)
        source = Import.objects.get(pk=import_id)
        if source.state not in UNFINISHED_IMPORTS or time.monotonic() > ends_at:
            return source
        time.sleep(_POLL_S)


def read_chunk(chunk_id: int) -> None:
    """Read one chunk unless another worker does; a chunk that fails too often is quarantined.

    Only errors of the database are raised.
    """
    with lease(Lease.CHUNK, chunk_id) as is_mine:
        if not is_mine or not _begin_attempt(chunk_id):
            return
        try:
            _read(InboxChunk.objects.select_related("source_import").get(pk=chunk_id))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001  one bad chunk must not stop the others
            _note_failure(chunk_id, error)


def _readable_chunks(
    tried: Collection[int], import_id: int | None
) -> QuerySet[InboxChunk, InboxChunk]:
    """Ready chunks, oldest first; where the order matters only those whose forerunner is done."""
    in_order = _formats_in_order()
    forerunner = InboxChunk.objects.filter(
        source_import=OuterRef("source_import"), number=OuterRef("number") - 1
    ).exclude(state="done")
    ready = InboxChunk.objects.filter(state="ready").exclude(pk__in=tried)
    if import_id is not None:
        ready = ready.filter(source_import_id=import_id)
    may_go = ~Q(source_import__format__in=in_order) | ~Exists(forerunner)
    return ready.filter(may_go).order_by("pk")[:_CANDIDATES]


def _formats_in_order() -> list[str]:
    return [known.name for known in FORMATS if known.scope is not Scope.RECORD] + [MAPPING]


def _begin_attempt(chunk_id: int) -> bool:
    """Count an attempt, in a commit of its own: it must outlive a worker that is killed."""
    with transaction.atomic():
        chunk = InboxChunk.objects.select_for_update().filter(pk=chunk_id, state="ready").first()
        if chunk is None:
            return False
        if chunk.attempts >= ATTEMPTS:
            _quarantine(
                chunk, chunk.reason or f"the worker ended {ATTEMPTS} times while reading it"
            )
            return False
        chunk.attempts += 1
        chunk.save(update_fields=["attempts"])
        Import.objects.filter(pk=chunk.source_import_id, state="ready").update(state="reading")
        return True


def _read(chunk: InboxChunk) -> None:
    source = chunk.source_import
    known, layout = format_of(source), Layout(source.layout)
    piece = Cut(
        first_line=chunk.first_line,
        offset=chunk.offset,
        body=zstandard.ZstdDecompressor().decompress(bytes(chunk.body)),
        header=bytes(chunk.header),
    )
    state = _carried(chunk, known)
    outcomes = Outcomes()
    reader = Reader(
        attribution=attribution_of(source),
        now=source.received_at,
        is_push=source.door == "push",
    )
    choices = choices_kept(source.options)
    options = choices.options(otherwise_at=source.received_at, file_name=source.name)
    items = items_of(piece, layout, source.name)
    reader.read(outcomes, items, known=known, options=options, state=state, path="")
    ensure_months(outcomes.moments())
    kept_state = b"" if known.scope is Scope.RECORD else msgspec.msgpack.encode(state)
    retried(lambda: _book_chunk(chunk, outcomes, kept_state))


def _carried(chunk: InboxChunk, known: Format) -> State:
    """The state that the chunk before left."""
    state = known.new_state()
    if known.scope is Scope.RECORD or chunk.number == 1:
        return state
    before = InboxChunk.objects.get(
        source_import_id=chunk.source_import_id, number=chunk.number - 1
    )
    return msgspec.msgpack.decode(bytes(before.reader_state), type=type(state))


def _book_chunk(chunk: InboxChunk, outcomes: Outcomes, kept_state: bytes) -> None:
    held = InboxChunk.objects.select_for_update(skip_locked=True, of=("self",))
    if not held.filter(pk=chunk.pk, state="ready").exists():
        return
    source = book(
        organization_id=chunk.organization_id,
        import_id=chunk.source_import_id,
        outcomes=outcomes,
    )
    InboxChunk.objects.filter(pk=chunk.pk).update(
        state="done", body=b"", reader_state=kept_state, reason=""
    )
    _finish(source)


def _note_failure(chunk_id: int, error: Exception) -> None:
    """Keep why an attempt failed, and give the chunk up after the last one."""
    reason = named(error)
    logger.error("chunk %s could not be read: %s", chunk_id, reason)
    with transaction.atomic():
        chunk = InboxChunk.objects.select_for_update().filter(pk=chunk_id, state="ready").first()
        if chunk is None:
            return
        if chunk.attempts >= ATTEMPTS:
            _quarantine(chunk, reason)
        else:
            chunk.reason = readable(reason, 400)
            chunk.save(update_fields=["reason"])


def _quarantine(chunk: InboxChunk, reason: str) -> None:
    """Set a chunk aside, and with it those that cannot be read without what it would have told."""
    chunk.state = "quarantined"
    chunk.reason = readable(reason, 400)
    chunk.save(update_fields=["state", "reason"])
    source = Import.objects.select_for_update(no_key=True).get(pk=chunk.source_import_id)
    if source.format in _formats_in_order():
        followers = source.chunks.filter(state="ready", number__gt=chunk.number)
        followers.update(
            state="quarantined", reason=f"comes after quarantined chunk {chunk.number}"
        )
    source.reason = readable(f"chunk {chunk.number}: {reason}", 400)
    source.save(update_fields=["reason"])
    _finish(source)


def _finish(source: Import) -> None:
    """Close an import whose last chunk was read or set aside; its row is locked."""
    if source.chunks.filter(state__in=["receiving", "ready"]).exists():
        return
    is_whole = not source.chunks.filter(state="quarantined").exists()
    source.state = "done" if is_whole else "quarantined"
    source.error_code = "" if is_whole else "quarantined"
    source.finished_at = timezone.now()
    source.save(update_fields=["state", "error_code", "finished_at"])
    transaction.on_commit(partial(after_import, source.recorded), robust=True)
