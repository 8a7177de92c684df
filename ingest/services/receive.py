"""Takes bytes in: kept in committed rows before anybody is told that they arrived."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import zstandard
from django.db import IntegrityError, OperationalError, transaction
from django.utils import timezone
from psycopg import Error as DriverError

from accounting.models import Import
from accounting.models.imports import KEY_USED_ONCE
from ingest.formats.base import Options, UnreadableError
from ingest.formats.cutting import Cut, Readable, cut
from ingest.formats.detection import Detection
from ingest.formats.probing import refuse_another_format
from ingest.models import InboxChunk
from ingest.services.booking import keep_rejections, readable
from ingest.services.choices import Choices
from ingest.services.durability import commit_on_disk, commit_without_waiting
from ingest.services.leases import Lease, lease
from ingest.services.outcomes import Refused
from ingest.services.points import passing
from ingest.services.room import short_of_space
from ingest.services.streams import INCOMPLETE, LATE, Measured, unpacked
from ingest.services.tables import Reading

REUSED = "idempotency_key_reused"
#: A chunk is read and dropped within seconds: a third less time is worth more than a tenth less space.
_LEVEL = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sends, and what they say about it. project_id: only when it was named."""

    organization_id: int
    project_id: int | None = None
    api_key_id: int | None = None
    created_by_id: int | None = None
    name: str = ""
    wanted_format: str = ""
    choices: Choices = field(default_factory=Choices)
    reading: Reading = field(default_factory=Reading)

    def options(self) -> Options:
        """What they say, for a look at the bytes before they are kept."""
        return self.choices.options(otherwise_at=timezone.now(), file_name=self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of bytes that were sent.

    import_id: None where nothing was in them or they did not come whole. code, reason: why they were
    refused, else ''.
    """

    import_id: int | None
    state: str
    code: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a push was found to be, and its cuts.

    whole: what was cut: the body, or with what the request's headers said of it.
    """

    detection: Detection
    whole: bytes
    pieces: Sequence[Cut]


#: Tells from a whole body what it is; None where nothing in it is a record. Raises UnreadableError.
type Look = Callable[[bytes], Looked | None]


def receive_push(  # noqa: PLR0913  a body, how it comes, and what is said beside it
    *,
    sender: Sender,
    stream: Readable,
    encoding: str,
    limit: int,
    look: Look,
    expected: int | None = None,
    idempotency_key: str = "",
) -> Receipt:
    """Keep a push: its import and all its chunks in one commit, ready to be read.

    encoding: what Content-Encoding says, gzip, zstd or ''. limit: of the body, as sent and unpacked.
    expected: its length as announced. look: what the door takes such bodies for.
    The same idempotency key brings the first push's receipt, or with another body a refusal.
    """
    measured = Measured(stream, limit=limit, expected=expected)
    try:
        body = unpacked(measured, encoding, limit)
        found = look(body)
        if found is None:
            return Receipt(import_id=None, state="empty")
    except UnreadableError as error:
        if error.code in {LATE, INCOMPLETE}:
            return _not_whole(error)
        return _refuse(_begun(sender, "push"), error, measured.size, measured.digest)
    passing("receive.read")
    digest = sha256(found.whole).digest()
    try:
        with transaction.atomic():
            commit_on_disk()  # the answer is a promise
            ready = _ready(found.detection, len(body), digest)
            source = _begun(sender, "push", idempotency_key=idempotency_key or None, **ready)
            for number, piece in enumerate(found.pieces, start=1):
                _keep(source, number, piece, state="ready")
            passing("receive.kept")
    except IntegrityError as error:
        if not _is_reused_key(error):
            raise
        return _first_receipt(sender, idempotency_key, digest)
    passing("receive.committed")
    return Receipt(import_id=source.pk, state=source.state)


def receive_upload(
    *, sender: Sender, stream: Readable, limit: int, expected: int | None
) -> Receipt:
    """Keep an uploaded file while it comes in, in chunks that become ready together at its end.

    expected: its length as announced. Memory does not grow with the file. A file that cannot be read
    leaves a failed import with its code, and no chunks; one that breaks off leaves nothing.
    """
    source = _begun(sender, "upload")
    measured = Measured(stream, limit=limit, expected=expected)
    with lease(Lease.IMPORT, source.pk):
        try:
            plain = sender.reading.plain(measured)
            found = sender.reading.detected(plain.head, sender.name, wanted=sender.wanted_format)
            for number, piece in enumerate(cut(plain, found.layout), start=1):
                if number == 1:
                    probe(found, [piece], sender)
                with transaction.atomic():
                    commit_without_waiting()  # the commit at the end waits for all of them
                    _keep(source, number, piece)
                passing("receive.piece")
                _check_space()
            measured.drain()
        except UnreadableError as error:
            if error.code in {LATE, INCOMPLETE}:
                source.delete()
                return _not_whole(error)
            # Of a refused file only the beginning was read; how long it is was announced.
            size = measured.size if expected is None else expected
            return _refuse(source, error, size, measured.digest)
        with transaction.atomic():
            receipt = _complete(source, found, measured.size, measured.digest)
        passing("receive.committed")
        return receipt


def give_up(source: Import, *, code: str, reason: str) -> None:
    """Mark an import as failed and drop its chunks. Runs in the caller's transaction."""
    source.chunks.all().delete()
    source.state = "failed"
    source.error_code = code[:60]
    source.reason = readable(reason, 400)
    source.finished_at = timezone.now()
    source.save()
    refusal = Refused(path="", line=None, code=code, reason=reason)
    keep_rejections(source, [refusal])


def _check_space() -> None:
    if reason := short_of_space(0):
        raise UnreadableError("no_space", reason)


def probe(found: Detection, first: Sequence[Cut], sender: Sender) -> None:
    """UnreadableError where the format that was asked for finds nothing to count."""
    if not found.is_claimed:
        options = sender.options()
        refuse_another_format(found.format, found.layout, first, path=sender.name, options=options)


def _begun(sender: Sender, door: str, **more: Any) -> Import:
    return Import.objects.create(
        organization_id=sender.organization_id,
        project_id=sender.project_id,
        api_key_id=sender.api_key_id,
        created_by_id=sender.created_by_id,
        door=door,
        name=readable(sender.name, 255),
        options={**sender.choices.as_json(), **sender.reading.as_json()},
        **more,
    )


def _keep(source: Import, number: int, piece: Cut, *, state: str = "receiving") -> None:
    InboxChunk.objects.create(
        organization_id=source.organization_id,
        source_import=source,
        number=number,
        state=state,
        body=zstandard.ZstdCompressor(level=_LEVEL).compress(piece.body),
        header=piece.header,
        first_line=piece.first_line,
        offset=piece.offset,
        size=len(piece.body),
    )


def _complete(source: Import, found: Detection, size: int, digest: bytes) -> Receipt:
    commit_on_disk()  # the answer is a promise
    source.chunks.update(state="ready")
    ready = _ready(found, size, digest)
    for name, value in ready.items():
        setattr(source, name, value)
    source.save(update_fields=[*ready])
    passing("receive.kept")
    return Receipt(import_id=source.pk, state=source.state)


def _ready(found: Detection, size: int, digest: bytes) -> dict[str, Any]:
    """The columns of an import that is whole, and what it was found to be."""
    return {
        "state": "ready",
        "format": found.format.name,
        "layout": found.layout,
        "reason": readable(found.reason, 400),
        "size": size,
        "digest": digest,
    }


def _refuse(source: Import, error: UnreadableError, size: int, digest: bytes) -> Receipt:
    source.size, source.digest = size, digest
    with transaction.atomic():
        give_up(source, code=error.code, reason=error.reason)
    return Receipt(import_id=source.pk, state=source.state, code=error.code, reason=error.reason)


def _not_whole(error: UnreadableError) -> Receipt:
    return Receipt(import_id=None, state="refused", code=error.code, reason=error.reason)


def _is_reused_key(error: IntegrityError) -> bool:
    cause = error.__cause__
    return isinstance(cause, DriverError) and cause.diag.constraint_name == KEY_USED_ONCE


def _first_receipt(sender: Sender, idempotency_key: str, digest: bytes) -> Receipt:
    known = Import.objects.of(sender.organization_id).filter(
        api_key_id=sender.api_key_id, idempotency_key=idempotency_key
    )
    first = known.first()
    if first is None:
        raise OperationalError("the import that had this key was undone at this moment")
    if bytes(first.digest) != digest:
        reason = f"import {first.pk} came with this key and another body"
        return Receipt(import_id=first.pk, state="refused", code=REUSED, reason=reason)
    return Receipt(import_id=first.pk, state=first.state)
