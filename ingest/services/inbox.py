"""The inbox as a person looks after it: what waits, what was set aside, what is to become of that."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum

from accounting.domain.errors import DomainError
from accounting.models import Import
from ingest.models import InboxChunk
from ingest.services.booking import keep_rejections
from ingest.services.circuit import circuit_state
from ingest.services.outcomes import Refused
from ingest.services.quarantine import finish, formats_in_order

DISCARDED = "discarded"


class NotSetAsideError(DomainError):
    """A chunk is not among those that were set aside."""

    code = "not_set_aside"

    def __init__(self, chunk_ids: Sequence[int]) -> None:
        super().__init__(f"not set aside: {', '.join(map(str, chunk_ids)) or 'none was named'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A chunk that could not be read. first_line: of its records; size: of its bytes, unpacked."""

    chunk_id: int
    import_id: int
    organization_id: int
    name: str
    number: int
    first_line: int
    size: int
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxState:
    """What is in the inbox. stopped_at: since when nothing is read, None while reading goes on."""

    waiting: int
    waiting_bytes: int
    set_aside: int
    set_aside_in_a_row: int
    stopped_at: datetime | None


def inbox_state(organization_id: int | None = None) -> InboxState:
    """How many chunks wait and were set aside, of one organization or of all. Two queries."""
    chunks = _of(organization_id).filter(state__in=["receiving", "ready", "quarantined"])
    waits = ~Q(state="quarantined")
    found = chunks.aggregate(
        waiting=Count("pk", filter=waits),
        waiting_bytes=Sum("size", filter=waits, default=0),
        set_aside=Count("pk", filter=~waits),
    )
    state = circuit_state()
    return InboxState(
        waiting=found["waiting"],
        waiting_bytes=int(found["waiting_bytes"]),
        set_aside=found["set_aside"],
        set_aside_in_a_row=state.set_aside_in_a_row,
        stopped_at=state.opened_at,
    )


def set_aside_chunks(organization_id: int | None = None) -> list[SetAside]:
    """The chunks that were set aside, oldest first. One query."""
    chunks = _of(organization_id).filter(state="quarantined")
    return [
        SetAside(
            chunk_id=chunk.pk,
            import_id=chunk.source_import_id,
            organization_id=chunk.organization_id,
            name=chunk.source_import.name,
            number=chunk.number,
            first_line=chunk.first_line,
            size=chunk.size,
            attempts=chunk.attempts,
            reason=chunk.reason,
        )
        for chunk in chunks.select_related("source_import").defer("body").order_by("pk")
    ]


def retry(*, organization_id: int | None, chunk_ids: Sequence[int] | None) -> list[int]:
    """Have chunks that were set aside read again, with new attempts; those that will be.

    chunk_ids: None for all of them. With a chunk of a format that is read in order go the later ones
    of its import. Raises NotSetAsideError.
    """
    with transaction.atomic():
        chunks = _taken(organization_id, chunk_ids)
        ids = [chunk.pk for chunk in chunks]
        InboxChunk.objects.filter(pk__in=ids).update(state="ready", attempts=0, reason="")
        for source in _imports_of(chunks):
            source.state, source.error_code, source.finished_at = "reading", "", None
            source.save(update_fields=["state", "error_code", "finished_at"])
    return ids


def discard(*, organization_id: int | None, chunk_ids: Sequence[int] | None) -> list[int]:
    """Drop the bytes of chunks that were set aside, for good; those that went.

    As `retry` takes them. Each leaves a rejection of its import, without a line: nobody knows how many
    were in it. Raises NotSetAsideError.
    """
    with transaction.atomic():
        chunks = _taken(organization_id, chunk_ids)
        ids = [chunk.pk for chunk in chunks]
        InboxChunk.objects.filter(pk__in=ids).update(state="discarded", body=b"")
        for source in _imports_of(chunks):
            lost = [chunk for chunk in chunks if chunk.source_import_id == source.pk]
            keep_rejections(source, [_as_refused(chunk) for chunk in lost])
            finish(source)
    return ids


def _taken(organization_id: int | None, chunk_ids: Sequence[int] | None) -> list[InboxChunk]:
    """The chunks that are meant, locked in order, with those that can only go along with them."""
    aside = _of(organization_id).filter(state="quarantined")
    if chunk_ids is not None:
        named = {chunk.pk: chunk for chunk in aside.filter(pk__in=chunk_ids).defer("body")}
        if named.keys() != set(chunk_ids) or not named:
            raise NotSetAsideError(sorted(set(chunk_ids) - named.keys()))
        wanted = Q(pk__in=named)
        for chunk in named.values():
            in_order = Q(source_import__format__in=formats_in_order())
            later = Q(source_import=chunk.source_import_id, number__gt=chunk.number)
            wanted |= in_order & later
        aside = aside.filter(wanted)
    return list(aside.select_for_update(of=("self",)).defer("body").order_by("pk"))


def _imports_of(chunks: Sequence[InboxChunk]) -> list[Import]:
    ids = {chunk.source_import_id for chunk in chunks}
    return list(Import.objects.filter(pk__in=ids).select_for_update(no_key=True).order_by("pk"))


def _as_refused(chunk: InboxChunk) -> Refused:
    lost = f"part {chunk.number}, from line {chunk.first_line:,}, {chunk.size:,} bytes"
    return Refused(path="", line=None, code=DISCARDED, reason=f"{lost}: {chunk.reason}")


def _of(organization_id: int | None) -> QuerySet[InboxChunk, InboxChunk]:
    if organization_id is None:
        return InboxChunk.objects.all()
    return InboxChunk.objects.of(organization_id)
