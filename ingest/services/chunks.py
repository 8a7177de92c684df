"""One chunk on its way from the inbox into the books: read, booked, done."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import msgspec
import zstandard
from django.conf import settings
from django.db.models.functions import Now

from accounting.models.imports import UNFINISHED_IMPORTS
from ingest.formats.base import Format, Options, Outcome, Scope, State
from ingest.formats.cutting import Cut, Layout, items_of
from ingest.models import InboxChunk
from ingest.services import circuit
from ingest.services.attribution import attribution_of
from ingest.services.booking import book
from ingest.services.choices import choices_kept
from ingest.services.durability import commit_without_waiting
from ingest.services.failures import named
from ingest.services.keeping import kept_copy
from ingest.services.outcomes import Outcomes, Reader
from ingest.services.points import passing
from ingest.services.quarantine import finish
from ingest.services.rereading import REREAD_OF
from ingest.services.tables import format_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadChunk:
    """A chunk's records, not booked yet.

    carried: the reader's state for the next chunk. kept: what is left of its bytes, packed.
    """

    chunk: InboxChunk
    outcomes: Outcomes
    carried: bytes
    kept: bytes


def read(chunk: InboxChunk) -> ReadChunk:
    """Turn a chunk's records into outcomes; changes nothing but benchmark runs that are new."""
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
    carried = b"" if known.scope is Scope.RECORD else msgspec.msgpack.encode(state)
    kept = _kept(chunk, piece, known, options) if settings.KEEP_RAW_DAYS else b""
    passing("read.parsed")
    return ReadChunk(chunk=chunk, outcomes=outcomes, carried=carried, kept=kept)


def book_chunk(one: ReadChunk) -> None:
    """Post a chunk's records and mark it done. Runs in the caller's transaction.

    A chunk that has gone meanwhile, because its import was undone, is dropped.
    """
    if not still_ready([one.chunk.pk]):
        return
    source = book(
        organization_id=one.chunk.organization_id,
        import_id=one.chunk.source_import_id,
        outcomes=one.outcomes,
    )
    passing("read.booked")
    mark_done(one)
    finish(source)
    if source.state in UNFINISHED_IMPORTS:
        commit_without_waiting()
    circuit.note_read()
    passing("read.committing")


def still_ready(chunk_ids: Sequence[int]) -> set[int]:
    """Lock the rows of these chunks, in order; those that are still to be read."""
    held = InboxChunk.objects.select_for_update(skip_locked=True, of=("self",)).order_by("pk")
    return set(held.filter(pk__in=chunk_ids, state="ready").values_list("pk", flat=True))


def mark_done(one: ReadChunk) -> None:
    """Mark a chunk read and let go of its bytes, but for what is kept of them for some days."""
    until = Now() + timedelta(days=settings.KEEP_RAW_DAYS) if one.kept else None
    InboxChunk.objects.filter(pk=one.chunk.pk).update(
        state="done", body=one.kept, kept_until=until, reader_state=one.carried, reason=""
    )


def _kept(chunk: InboxChunk, piece: Cut, known: Format, options: Options) -> bytes:
    source = chunk.source_import
    if REREAD_OF in source.options:  # the first import's copy is kept already
        return b""
    layout = Layout(source.layout)

    def read_again(copy: Cut) -> list[Outcome]:
        items = items_of(copy, layout, source.name)
        return list(known.read(items, options, _carried(chunk, known)))

    mapping = source.options.get("mapping", {}).get("columns", {})
    try:
        return kept_copy(piece, layout, read_again, columns=frozenset(mapping.values()))
    except Exception as error:  # noqa: BLE001  no copy is better than no books
        logger.error("of chunk %s nothing is kept: %s", chunk.pk, named(error))  # noqa: TRY400  no message
        return b""


def _carried(chunk: InboxChunk, known: Format) -> State:
    """The state that the chunk before left."""
    state = known.new_state()
    if known.scope is Scope.RECORD or chunk.number == 1:
        return state
    before = InboxChunk.objects.get(
        source_import_id=chunk.source_import_id, number=chunk.number - 1
    )
    return msgspec.msgpack.decode(bytes(before.reader_state), type=type(state))
