"""Reads an import again whose bytes are still kept, because a reader has been mended since."""

from django.db import transaction
from django.db.models import Q

from accounting.domain.errors import DomainError
from accounting.models import Import
from ingest.models import InboxChunk
from ingest.services.quarantine import formats_in_order

#: Among a new import's options: which one it reads again.
REREAD_OF = "reread_of"


class NotKeptError(DomainError):
    """An import's bytes are not there any more, or not enough of them."""

    code = "not_kept"


def begin_again(import_id: int) -> Import:
    """A new import of the bytes that are kept of an old one, ready to be read.

    What it tells is told again: what was counted stays counted once, what was rejected and can be read
    now is added. It arrived when the old one did, so that times it had to assume stay the same. Raises
    NotKeptError; Import.DoesNotExist where there is none.
    """
    old = Import.objects.get(pk=import_id)
    chunks = old.chunks.filter(Q(state="done") & ~Q(body=b"")).order_by("number")
    if old.door == "command":
        raise NotKeptError(f"import {import_id} was read from a path: read {old.name} again")
    if old.door == "watch":
        raise NotKeptError(f"import {import_id} is of a folder: manage.py watch again {old.name}")
    if not chunks.exists():
        raise NotKeptError(f"no bytes of import {import_id} are kept: see TALLYBOOK_KEEP_RAW_DAYS")
    if old.format in formats_in_order() and chunks.count() < old.chunks.count():
        raise NotKeptError(
            f"parts of import {import_id} are not kept, and its format is read in order"
        )
    with transaction.atomic():
        new = Import.objects.create(
            organization_id=old.organization_id,
            project_id=old.project_id,
            api_key_id=old.api_key_id,
            created_by_id=old.created_by_id,
            door=old.door,
            name=old.name,
            size=old.size,
            digest=old.digest,
            format=old.format,
            layout=old.layout,
            received_at=old.received_at,
            options={**_as_given(old), REREAD_OF: old.pk},
            state="ready",
        )
        for chunk in chunks.iterator(chunk_size=8):
            InboxChunk.objects.create(
                organization_id=chunk.organization_id,
                source_import=new,
                number=chunk.number,
                state="ready",
                body=chunk.body,
                header=chunk.header,
                first_line=chunk.first_line,
                offset=chunk.offset,
                size=chunk.size,
            )
    return new


def _as_given(old: Import) -> dict[str, object]:
    """The options that came with an import, without what reading noted among them."""
    noted = {"warnings", "warned_lines", "aggregate", "assumed_times"}
    return {name: value for name, value in old.options.items() if name not in noted}
