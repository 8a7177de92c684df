"""Chunks that cannot be read: set aside with their bytes and their reason, while the rest goes on."""

import logging
from functools import partial

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from psycopg.errors import OutOfMemory, ProgramLimitExceeded, QueryCanceled

from accounting.models import Import
from accounting.services.statistics import after_import
from ingest.formats import FORMATS
from ingest.formats.base import Scope
from ingest.formats.mapping import NAME as MAPPING
from ingest.models import InboxChunk
from ingest.services import circuit
from ingest.services.booking import readable
from ingest.services.failures import named

ATTEMPTS = 5

logger = logging.getLogger(__name__)


def formats_in_order() -> list[str]:
    """The formats whose chunks are read one after the other."""
    return [known.name for known in FORMATS if known.scope is not Scope.RECORD] + [MAPPING]


def is_its_own(error: Exception) -> bool:
    """Whether an error that reading a chunk met is the chunk's, and not the database's.

    A database that is away or full fails every chunk, and none of them is to blame. One that has no memory
    or no time for a statement has it for smaller ones.
    """
    if isinstance(error, InterfaceError):
        return False
    if not isinstance(error, OperationalError):
        return True
    cause = error.__cause__
    return isinstance(cause, OutOfMemory | ProgramLimitExceeded | QueryCanceled)


def note_failure(chunk_id: int, error: Exception) -> None:
    """Keep why an attempt failed, and set the chunk aside after the last one."""
    reason = named(error)
    logger.error("chunk %s could not be read: %s", chunk_id, reason)
    with transaction.atomic():
        chunk = InboxChunk.objects.select_for_update().filter(pk=chunk_id, state="ready").first()
        if chunk is None:
            return
        if chunk.attempts >= ATTEMPTS:
            set_aside(chunk, reason)
        else:
            chunk.reason = readable(reason, 400)
            chunk.save(update_fields=["reason"])


def set_aside(chunk: InboxChunk, reason: str) -> None:
    """Quarantine a chunk, and with it those that cannot be read without what it would have told.

    Its row is locked by the caller's transaction.
    """
    chunk.state = "quarantined"
    chunk.reason = readable(reason, 400)
    chunk.save(update_fields=["state", "reason"])
    source = Import.objects.select_for_update(no_key=True).get(pk=chunk.source_import_id)
    if source.format in formats_in_order():
        followers = source.chunks.filter(state="ready", number__gt=chunk.number)
        followers.update(
            state="quarantined", reason=f"comes after quarantined chunk {chunk.number}"
        )
    source.reason = readable(f"chunk {chunk.number}: {reason}", 400)
    source.save(update_fields=["reason"])
    finish(source)
    circuit.note_set_aside()


def finish(source: Import) -> None:
    """Close an import whose last chunk was read, set aside or discarded; its row is locked."""
    states = set(source.chunks.values_list("state", flat=True).distinct())
    if states & {"receiving", "ready"}:
        return
    source.state = "quarantined" if "quarantined" in states else "done"
    source.error_code = next((code for code in ("quarantined", "discarded") if code in states), "")
    source.finished_at = timezone.now()
    source.save(update_fields=["state", "error_code", "finished_at"])
    transaction.on_commit(partial(after_import, source.recorded), robust=True)
