"""Reads what is new in the files of one watched folder; a file that cannot be read holds up no other."""

import logging
import os
import time
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

import msgspec

from accounting.models.imports import BROKE_DOWN
from ingest.formats import by_name
from ingest.formats.base import SAMPLE_BYTES, Format, Scope, UnreadableError
from ingest.formats.compression import GZIP_MAGIC, ZSTD_MAGIC, opened
from ingest.formats.cutting import Cut, Layout, cut, items_of
from ingest.formats.mapping import mapped_format
from ingest.formats.probing import refuse_another_format
from ingest.models import WatchedFile
from ingest.services.booking import readable
from ingest.services.failures import named
from ingest.services.outcomes import Refused
from ingest.services.quarantine import is_its_own
from ingest.services.receive import Sender
from ingest.services.watching_books import FolderBooks, ReadAgainError
from ingest.services.watching_files import FoundFile, open_file
from ingest.services.watching_rows import (
    ATTEMPTS,
    PASSING,
    QUIET,
    SETTLED,
    begin_anew,
    has_rested,
)
from ingest.services.watching_tails import begin, goes_on, pieces_of, seam_of

#: A file that is read only as a whole is unpacked anew each time, so it is then read for longer.
WHOLE_S = 60.0

logger = logging.getLogger(__name__)


class BrokeDownError(Exception):
    """Reading broke down, and it is not known on which file: each must be read alone."""


@dataclass(slots=True, kw_only=True)
class FolderReading:
    """One look at a folder, from the side of its files.

    is_alone: each file is booked for itself, and its attempt is committed before it is read.
    is_cut_short: whether a file was left in the middle because the time was up.
    """

    books: FolderBooks
    sender: Sender
    ends_at: float
    is_alone: bool
    is_cut_short: bool = False

    def read(self, found: FoundFile, row: WatchedFile) -> None:
        """Read what is new in one file; one that breaks its reader down is set aside.

        Raises ReadAgainError, BrokeDownError unless it is alone, and errors of the database.
        """
        if self.is_alone:
            self._count_attempt(row)
        try:
            self._read_or_refuse(found, row)
            if self.is_alone:
                self.books.note(row)
                self.books.book()
        except ReadAgainError:
            raise
        except Exception as error:
            if not is_its_own(error):
                raise
            if not self.is_alone:
                raise BrokeDownError(named(error)) from error
            self._set_aside(found, row, error)

    def book(self) -> None:
        """Book what was read and still waits. Raises as `read` does; nothing waits where it is alone."""
        try:
            self.books.book()
        except ReadAgainError:
            raise
        except Exception as error:
            if not is_its_own(error):
                raise
            raise BrokeDownError(named(error)) from error

    def has_time(self) -> bool:
        """Whether there is time for another file."""
        return time.monotonic() < self.ends_at

    def _read_or_refuse(self, found: FoundFile, row: WatchedFile) -> None:
        try:
            stream = open_file(found)
            if stream is None:  # the next look finds what is there now
                return
            with stream:
                self._read_file(found, row, stream)
        except UnreadableError as error:
            self._refuse(found, row, error)
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            self._refuse(found, row, UnreadableError("not_readable", reason))

    def _count_attempt(self, row: WatchedFile) -> None:
        """Commit that a file is being read, and with its last attempt why there will be no other."""
        row.attempts += 1
        last = {}
        if row.attempts >= ATTEMPTS:
            reason = f"the worker ended {ATTEMPTS} times while reading it"
            last = {"error_code": BROKE_DOWN, "reason": reason}
        known = WatchedFile.objects.of(row.organization_id)
        known.filter(pk=row.pk).update(attempts=row.attempts, **last)

    def _read_file(self, found: FoundFile, row: WatchedFile, stream: BinaryIO) -> None:
        is_same = goes_on(row, stream, found.size) if row.seam else row.begun == found.stamp
        if not is_same:
            self._begin_anew(row)
        is_settled = has_rested(found, self.books.now, SETTLED)
        if not row.format and not self._detect(found, row, stream, is_settled=is_settled):
            return
        if row.seam:
            self._follow(found, row, stream)
        elif is_settled:
            self._read_whole(found, row, stream)
        else:
            self.books.counts["early"] += 1

    def _detect(
        self, found: FoundFile, row: WatchedFile, stream: BinaryIO, *, is_settled: bool
    ) -> bool:
        """Find out the file's format; False while it is too early to judge half a first line."""
        reading, wanted = self.sender.reading, self.sender.wanted_format
        stream.seek(0)
        try:
            known = reading.detected(reading.plain(stream).head, found.inside, wanted=wanted)
            begin(row, stream, known, self.sender)
            if not known.is_claimed:
                stream.seek(0)
                first = list(islice(cut(reading.plain(stream), known.layout), 1))
                options = self.sender.choices.options(otherwise_at=found.changed_at)
                refuse_another_format(
                    known.format, known.layout, first, path=found.inside, options=options
                )
        except UnreadableError as error:
            begin_anew(row)
            is_early = not is_settled and found.size < SAMPLE_BYTES
            if error.code == "empty_file":
                self._end(found, row, waiting=0)
            elif not is_early:
                raise
            else:
                self.books.counts["early"] += 1
            return False
        return True

    def _follow(self, found: FoundFile, row: WatchedFile, stream: BinaryIO) -> None:
        is_quiet = has_rested(found, self.books.now, QUIET)
        for piece in pieces_of(row, stream, found.size, is_quiet=is_quiet):
            self._read_piece(found, row, piece.cut)
            row.offset, row.line = piece.offset, piece.line
            row.seam = seam_of(stream, row.offset)
            if self.books.is_enough:
                self.books.book()
                if not self.has_time():
                    self.is_cut_short = True
                    return
        self._end(found, row, waiting=found.size - row.offset)

    def _read_whole(self, found: FoundFile, row: WatchedFile, stream: BinaryIO) -> None:
        """Read a file that cannot be followed, from where an earlier look at the same state stopped."""
        if not row.offset:
            _check_whole(stream)
            row.begun = found.stamp
        stream.seek(0)
        ends_at = max(self.ends_at, time.monotonic() + WHOLE_S)
        for piece in cut(self.sender.reading.plain(stream), Layout(row.layout)):
            if piece.offset < row.offset:
                continue
            self._read_piece(found, row, piece)
            row.offset = piece.offset + 1
            if self.books.is_enough:
                self.books.book()
                if time.monotonic() > ends_at:
                    self.is_cut_short = True
                    return
        row.offset = found.size
        self._end(found, row, waiting=0)

    def _read_piece(self, found: FoundFile, row: WatchedFile, piece: Cut) -> None:
        known = self._format_of(row)
        state = self.books.state(known, row)
        options = self.sender.choices.options(
            otherwise_at=found.changed_at, file_name=found.inside.rpartition("/")[2][:200]
        )
        self.books.reader().read(
            self.books.outcomes,
            items_of(piece, Layout(row.layout), found.inside),
            known=known,
            options=options,
            state=state,
            path=found.inside,
        )
        if known.scope is Scope.FILE:
            row.reader_state = msgspec.msgpack.encode(state)
        self.books.waiting_bytes += len(piece.body)
        self.books.note(row)

    def _end(self, found: FoundFile, row: WatchedFile, *, waiting: int) -> None:
        row.stamp = row.begun = found.stamp
        row.waiting = waiting
        row.error_code = row.reason = ""
        self.books.note(row)
        self.books.counts["files"] += 1

    def _refuse(self, found: FoundFile, row: WatchedFile, error: UnreadableError) -> None:
        """Say once why a file cannot be read; it is tried again when it has changed."""
        code, reason = error.code[:60], readable(error.reason, 400)
        if (row.error_code, row.reason) != (code, reason):
            refused = Refused(path=found.inside, line=None, code=code, reason=reason)
            self.books.outcomes.refused.append(refused)
        if code not in PASSING:
            begin_anew(row)
            row.stamp = found.stamp
        row.error_code, row.reason = code, reason
        self.books.note(row)

    def _set_aside(self, found: FoundFile, row: WatchedFile, error: Exception) -> None:
        """Leave out a file whose reading broke down, until it has changed."""
        failure = named(error)
        logger.error("%s could not be read: %s", found.path, failure)
        self.books.drop()
        reason = f"{failure} while reading; this is an error of Tallybook"
        WatchedFile.objects.of(row.organization_id).filter(pk=row.pk).update(
            stamp=found.stamp, error_code=BROKE_DOWN, reason=readable(reason, 400)
        )

    def _begin_anew(self, row: WatchedFile) -> None:
        known = self._format_of(row) if row.format else None
        # A scrape that overwrites the one before is the next one, not another telling of the same.
        if known and known.scope is Scope.INPUT and row.layout != Layout.TEXT:
            self.books.forget_input(known)
        begin_anew(row)

    def _format_of(self, row: WatchedFile) -> Format:
        mapping = self.sender.reading.mapping
        return mapped_format(mapping) if mapping is not None else by_name(row.format)


def _check_whole(stream: BinaryIO) -> None:
    """Unpack a packed file once for nothing: of a torn one no record may be counted."""
    stream.seek(0)
    is_packed = stream.read(4).startswith((GZIP_MAGIC, ZSTD_MAGIC))
    stream.seek(0)
    if is_packed:
        plain = opened(stream)
        while plain.read(1024 * 1024):
            pass
