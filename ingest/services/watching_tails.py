"""What has come to a file since it was read last, in pieces that end where records end."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import BinaryIO

import msgspec

from ingest.formats.base import LINE_LIMIT
from ingest.formats.compression import GZIP_MAGIC, ZSTD_MAGIC
from ingest.formats.cutting import Cut, Layout
from ingest.formats.detection import Detection
from ingest.formats.pieces import CUT_RECORDS
from ingest.formats.rows import header_names
from ingest.models import WatchedFile
from ingest.services.receive import Sender
from ingest.services.sheets import ZIP_MAGIC

#: Layouts whose files grow at their end, record by record.
FOLLOWED = frozenset([Layout.JSONL, Layout.CSV])
PIECE_BYTES = 4 * 1024 * 1024
_SEAM_BYTES = 1024
_BOM = b"\xef\xbb\xbf"
#: How many line ends inside quotes are looked back over for the end of a CSV record.
_QUOTED_LINES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A cut of a followed file, and from which byte and line on the next one is to be looked for."""

    cut: Cut
    offset: int
    line: int


def begin(row: WatchedFile, stream: BinaryIO, found: Detection, sender: Sender) -> None:
    """Note of a file that is read for the first time how it will be read on."""
    row.format, row.layout = found.format.name, found.layout
    row.offset, row.line, row.header, row.seam, row.reader_state = 0, 1, b"", b"", b""
    if not _grows_by_records(stream, found.layout, sender):
        return
    stream.seek(0)
    first = stream.readline(LINE_LIMIT)
    row.offset = len(_BOM) if first.startswith(_BOM) else 0
    if found.layout == Layout.CSV:
        header_names(first[row.offset :])
        if not first.endswith(b"\n"):
            return
        row.header, row.line = first[row.offset :], 2
        row.offset = len(first)
    row.seam = seam_of(stream, row.offset)


def goes_on(row: WatchedFile, stream: BinaryIO, size: int) -> bool:
    """Whether a followed file still begins as it did, and what was read of it ended at a line's end."""
    if size < row.offset or seam_of(stream, row.offset) != bytes(row.seam):
        return False
    stream.seek(max(row.offset - 1, 0))
    around = stream.read(2)
    return len(around) < 2 or not row.offset or b"\n" in around or around.endswith(b"\r")


def seam_of(stream: BinaryIO, offset: int) -> bytes:
    """A digest of a file's first bytes and of those before the offset; never empty."""
    length = min(offset, _SEAM_BYTES)
    stream.seek(0)
    digest = sha256(stream.read(length))
    stream.seek(offset - length)
    digest.update(stream.read(length))
    return digest.digest()


def pieces_of(row: WatchedFile, stream: BinaryIO, size: int, *, is_quiet: bool) -> Iterator[Piece]:
    """What lies between the row's offset and the size, in pieces of some megabytes.

    Half a last line waits: of JSON until it is a whole object, of CSV until its end or until the file is
    quiet, because half a row may look like a whole one.
    """
    offset, line = row.offset, row.line
    while offset < size:
        stream.seek(offset)
        body = stream.read(min(PIECE_BYTES, size - offset))
        if body.count(b"\n") > CUT_RECORDS:
            body = body[: LINE_LIMIT + 1]  # of short records: fewer, and still more than any line
        is_last = offset + len(body) >= size
        end = _end_of_records(body, row.layout)
        following, lines = offset + end, body.count(b"\n", 0, end)
        if not end and len(body) > LINE_LIMIT:
            following, lines = _next_line(stream, offset + len(body), size), 1
            end = LINE_LIMIT + 1  # its head, to be rejected
        elif not end and is_last and _may_be_whole(body, row.layout, is_quiet=is_quiet):
            following, end = offset + len(body), len(body)
        if not end or not following:
            return
        cut = Cut(first_line=line, offset=offset, body=body[:end], header=bytes(row.header))
        offset, line = following, line + lines
        yield Piece(cut=cut, offset=offset, line=line)


def _grows_by_records(stream: BinaryIO, layout: Layout, sender: Sender) -> bool:
    stream.seek(0)
    first = stream.read(LINE_LIMIT + 1)
    is_packed = first.startswith((GZIP_MAGIC, ZSTD_MAGIC, ZIP_MAGIC))
    is_one_long_line = len(first) > LINE_LIMIT and b"\n" not in first
    is_plain = sender.reading.encoding in {"", "utf-8"} and not is_packed
    return layout in FOLLOWED and is_plain and not is_one_long_line


def _end_of_records(body: bytes, layout: str) -> int:
    """How many bytes of a text are whole records."""
    end = body.rfind(b"\n") + 1
    if layout != Layout.CSV:
        return end
    last, quotes = end, body.count(b'"', 0, end)
    for _ in range(_QUOTED_LINES):
        if not end or not quotes % 2:
            return end
        before = body.rfind(b"\n", 0, end - 1) + 1
        quotes -= body.count(b'"', before, end)
        end = before
    return last if len(body) > LINE_LIMIT else 0  # a quote that is never closed costs its own line


def _may_be_whole(body: bytes, layout: str, *, is_quiet: bool) -> bool:
    if layout == Layout.CSV:
        return is_quiet
    if not body.lstrip().startswith(b"{"):
        return False
    try:
        msgspec.json.decode(body, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _next_line(stream: BinaryIO, offset: int, size: int) -> int:
    """Where the line after a very long one begins; 0 while it has no end."""
    stream.seek(offset)
    while offset < size and (body := stream.read(min(LINE_LIMIT, size - offset))):
        end = body.find(b"\n") + 1
        if end:
            return offset + end
        offset += len(body)
    return 0


def size_of(stream: BinaryIO) -> int:
    """How long the open file is at this moment."""
    return os.fstat(stream.fileno()).st_size
