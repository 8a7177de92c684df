"""Reads a file or folder by its path, as `manage.py ingest` does: the file is its own kept copy.

The same reader and the same booking as the inbox's; one transaction for some megabytes.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from django.db import DatabaseError, transaction
from django.utils import timezone

from accounting.models import Import
from accounting.models.imports import BROKE_DOWN
from accounting.services.posting import ensure_months
from accounting.services.statistics import after_import
from ingest.formats.base import Scope, State, UnreadableError
from ingest.formats.compression import GZIP_MAGIC, ZSTD_MAGIC
from ingest.formats.cutting import cut, items_of, opened
from ingest.formats.detection import Detection
from ingest.formats.probing import refuse_another_format
from ingest.services.attribution import attribution_of
from ingest.services.booking import book, is_enough, readable, retried
from ingest.services.collecting import uncollected
from ingest.services.durability import commit_without_waiting
from ingest.services.failures import named
from ingest.services.inputs import LogFile, files_of
from ingest.services.leases import Lease, lease
from ingest.services.outcomes import Outcomes, Reader, Refused
from ingest.services.receive import Sender, give_up
from ingest.services.results import InputResult, result_of

#: Called with the number of further bytes of the input that have been read.
type Progress = Callable[[int], None]

logger = logging.getLogger(__name__)


def read_path(path: str, *, sender: Sender, progress: Progress = lambda _: None) -> InputResult:
    """Read one input into the books; a file or folder that cannot be read is refused, not raised.

    Running it again after it was killed, or after the log has grown, counts only what is new.
    """
    source = _begun(path, sender)
    with lease(Lease.IMPORT, source.pk):
        try:
            reader = Reader(
                attribution=attribution_of(source), now=source.received_at, is_push=False
            )
            _PathReading(source=source, sender=sender, reader=reader, progress=progress).read(
                Path(path)
            )
        except UnreadableError as error:
            _fail(source.pk, error.code, error.reason)
        except DatabaseError:
            raise
        except (KeyboardInterrupt, SystemExit):
            _fail(source.pk, "interrupted", "it was stopped before its end")
            raise
        except Exception as error:  # noqa: BLE001  one bad input must not stop the others
            failure = named(error)
            logger.error("%s could not be read: %s", path, failure)  # noqa: TRY400  no message
            reason = f"{failure} while reading; this is an error of Tallybook"
            _fail(source.pk, BROKE_DOWN, reason)
    return result_of(Import.objects.get(pk=source.pk), path)


@dataclass(slots=True, kw_only=True)
class _PathReading:
    """One input on its way into the books.

    states: what readers carry on, by format, where all files of an input belong together.
    """

    source: Import
    sender: Sender
    reader: Reader
    progress: Progress
    found: list[Detection] = field(default_factory=list)
    states: dict[str, State] = field(default_factory=dict)
    outcomes: Outcomes = field(default_factory=Outcomes)
    waiting_bytes: int = 0

    def read(self, path: Path) -> None:
        """Read and book every file; raises UnreadableError where nothing could be read."""
        files = files_of(path)
        for file in files:
            try:
                with _opened(file) as stream:
                    self._read_file(file, stream)
            except UnreadableError as error:
                if not file.inside:
                    raise
                refused = Refused(path=file.inside, line=None, code=error.code, reason=error.reason)
                self.outcomes.refused.append(refused)
        if not self.found:
            self._book()
            raise self._unread(len(files))
        self._book()
        self._close(sum(file.size for file in files))

    def _read_file(self, file: LogFile, stream: BinaryIO) -> None:
        reading = self.sender.reading
        plain = reading.plain(stream)
        name = readable(file.name, 1000)
        found = reading.detected(plain.head, name, wanted=self.sender.wanted_format)
        if _is_packed(file):
            _check_whole(file)
        cuts = cut(plain, found.layout)
        first = list(islice(cuts, 1))
        options = self.sender.choices.options(
            otherwise_at=file.changed_at, file_name=readable(file.path.name, 200)
        )
        if not found.is_claimed:
            refuse_another_format(found.format, found.layout, first, path=name, options=options)
        self.found.append(found)
        state = self._state_for(found)
        position = 0
        for piece in chain(first, cuts):
            with uncollected():
                self.reader.read(
                    self.outcomes,
                    items_of(piece, found.layout, name),
                    known=found.format,
                    options=options,
                    state=state,
                    path=file.inside,
                )
                self.waiting_bytes += len(piece.body)
                if is_enough(self.waiting_bytes, self.outcomes):
                    self._book()
            self.progress(stream.tell() - position)
            position = stream.tell()

    def _unread(self, files: int) -> UnreadableError:
        if wanted := self.sender.wanted_format:
            reason = f"none of its {files} files can be read as {wanted}"
            return UnreadableError("not_this_format", reason)
        return UnreadableError("unknown_format", f"none of its {files} files is a known log")

    def _state_for(self, found: Detection) -> State:
        known = found.format
        if known.scope is not Scope.INPUT:
            return known.new_state()
        return self.states.setdefault(known.name, known.new_state())

    def _book(self) -> None:
        outcomes, self.outcomes = self.outcomes, Outcomes()
        self.waiting_bytes = 0
        ensure_months(outcomes.moments())
        retried(partial(self._post, outcomes))

    def _post(self, outcomes: Outcomes) -> None:
        commit_without_waiting()  # the commit that closes the import waits for all of them
        book(
            organization_id=self.source.organization_id,
            import_id=self.source.pk,
            outcomes=outcomes,
        )

    def _close(self, size: int) -> None:
        formats = {found.format.name for found in self.found}
        is_one = len(formats) == 1
        Import.objects.filter(pk=self.source.pk).update(
            state="done",
            finished_at=timezone.now(),
            size=size,
            format=self.found[0].format.name if is_one else "",
            layout=self.found[0].layout if is_one else "",
            reason=readable(self.found[0].reason if is_one else ", ".join(sorted(formats)), 400),
        )
        self.source.refresh_from_db(fields=["recorded"])
        after_import(self.source.recorded)


def _begun(path: str, sender: Sender) -> Import:
    return Import.objects.create(
        organization_id=sender.organization_id,
        project_id=sender.project_id,
        door="command",
        name=readable(path, 10_000)[-255:],
        state="reading",
        options={
            **sender.choices.as_json(),
            **sender.reading.as_json(),
            "path": readable(str(Path(path).absolute()), 4096),
        },
    )


def _fail(import_id: int, code: str, reason: str) -> None:
    with transaction.atomic():
        source = Import.objects.select_for_update(no_key=True).get(pk=import_id)
        give_up(source, code=code, reason=reason)


@contextmanager
def _opened(file: LogFile) -> Iterator[BinaryIO]:
    try:
        stream = file.path.open("rb")
    except OSError as error:
        raise UnreadableError("not_readable", os.strerror(error.errno or 0)) from error
    with stream:
        yield stream


def _is_packed(file: LogFile) -> bool:
    with _opened(file) as stream:
        return stream.read(4).startswith((GZIP_MAGIC, ZSTD_MAGIC))


def _check_whole(file: LogFile) -> None:
    """Unpack the file once for nothing: of a torn one no record may be counted."""
    with _opened(file) as stream:
        plain = opened(stream)
        while plain.read(1024 * 1024):
            pass
