"""Undoing imports: everything they left goes in one transaction, and only their rows stay."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from accounting.domain.changes import Change
from accounting.domain.errors import DomainError
from accounting.models import Import
from accounting.models.imports import LINE_COUNTERS
from accounting.services.locks import lock_books
from accounting.services.undoing import TakenBack, take_back
from ingest.models import InboxChunk
from ingest.services.booking import retried
from ingest.services.sweeping import BROKEN, give_up_broken


class NotUndoableError(DomainError):
    """An import is not there, is being read, was undone before, or cannot be undone at all."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What undoing changed. removed, restored: events that went, and that are as they were before."""

    import_ids: tuple[int, ...]
    removed: int
    restored: int
    change: Change


def undo_imports(*, organization_id: int, import_ids: Sequence[int]) -> Undone:
    """Undo imports, several together where each met the others' events; all of them or none.

    Afterwards the books are as if they had never been read, and their files count anew. Nobody posts
    meanwhile. Raises NotUndoableError, MetByLaterError while others met their events after them, and
    MonthClosedError where a closed month would change.
    """
    give_up_broken()  # so that what a killed command had read can go
    ids = sorted(set(import_ids))
    _refuse_unread(organization_id, ids)
    taken = retried(lambda: _undo(organization_id, ids))
    return Undone(
        import_ids=tuple(ids),
        removed=taken.removed,
        restored=taken.restored,
        change=taken.change,
    )


def _undo(organization_id: int, ids: Sequence[int]) -> TakenBack:
    # In a worker's order: its chunk, the shards, the import. Whoever reads one of these chunks now
    # finds it gone once we are done, and drops what it read.
    chunks = InboxChunk.objects.of(organization_id).filter(source_import_id__in=ids)
    list(chunks.select_for_update(of=("self",)).order_by("pk").values_list("pk", flat=True))
    lock_books(organization_id)
    imports = list(
        Import.objects.of(organization_id)
        .select_for_update(no_key=True)
        .filter(pk__in=ids)
        .order_by("pk")
    )
    _refuse_what_has_none(imports)
    taken = take_back(organization_id=organization_id, imports=imports)
    chunks.delete()
    Import.objects.of(organization_id).filter(pk__in=ids).update(
        state="undone", undone_at=timezone.now(), idempotency_key=None
    )
    return taken


def _refuse_unread(organization_id: int, ids: Sequence[int]) -> None:
    """Refuse what cannot be undone whatever happens next, before anything is locked."""
    found = {source.pk: source for source in Import.objects.of(organization_id).filter(pk__in=ids)}
    missing = [number for number in ids if number not in found]
    if missing or not ids:
        named = ", ".join(map(str, missing))
        raise NotUndoableError("not_found", f"there is no import {named}")
    if any(source.door == "demo" for source in found.values()):
        raise NotUndoableError(
            "sample_data", "the sample is taken out as a whole: manage.py demo --remove"
        )
    unread = Import.objects.of(organization_id).filter(BROKEN, pk__in=ids).order_by("pk").first()
    if unread is not None:
        reason = f"import {unread.pk} is still being read; undo it when it is done"
        raise NotUndoableError("import_unfinished", reason)


def _refuse_what_has_none(imports: Sequence[Import]) -> None:
    for source in imports:
        if source.state == "undone":
            raise NotUndoableError("already_undone", f"import {source.pk} is undone already")
        counted = sum(getattr(source, name) for name in LINE_COUNTERS[1:])
        if source.earliest_at is None and counted > source.skipped + source.rejected:
            raise NotUndoableError(
                "undo_not_kept",
                f"import {source.pk} was read before what imports replace was kept",
            )
