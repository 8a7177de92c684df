"""A log's bytes cut at record ends: into chunks any worker can read, and chunks into records.

    found = detect(head, path)                         # ingest.formats.detection
    for piece in cut(opened(stream), found.layout):    # a chunk's row keeps the piece's fields
        for item in items_of(piece, found.layout, path="projects/a/s.jsonl"):
            ...

Whatever the size of the cuts, the items are the same.
"""

from collections.abc import Iterator
from enum import StrEnum
from itertools import chain

import msgspec

from ingest.formats.arrays import array_cuts, array_items, documents
from ingest.formats.base import LINE_LIMIT, Item, UnreadableError
from ingest.formats.compression import Readable, opened
from ingest.formats.nesting import is_too_deep, shallow, too_deep
from ingest.formats.otlp_protobuf import kind_of
from ingest.formats.pieces import CUT_BYTES, CUT_RECORDS, Cut, item, pieces
from ingest.formats.rows import csv_cuts, csv_items

__all__ = ["Cut", "Layout", "Readable", "UnreadableError", "cut", "items_of", "opened"]

DOCUMENT_LIMIT = 256 * 1024 * 1024


class Layout(StrEnum):
    """How the records of a file lie in it."""

    JSONL = "jsonl"
    ARRAY = "array"  # one JSON array: every element a record
    DOCUMENT = "document"  # one JSON document, or several after each other; a single cut
    CSV = "csv"
    SSE = "sse"  # server-sent events or one JSON chunk per line; a single cut
    TEXT = "text"  # a whole text of another grammar; a single cut


def cut(
    stream: Readable, layout: Layout, size: int = CUT_BYTES, records: int = CUT_RECORDS
) -> Iterator[Cut]:
    """The stream in cuts of about size bytes or records, never through one; memory stays flat.

    stream: plain bytes, see `opened`. A byte-order mark at the start is dropped. A record longer
    than LINE_LIMIT is shortened to LINE_LIMIT + 1 bytes and ends its cut, to be rejected later; only
    where one line is the whole file it may have DOCUMENT_LIMIT bytes, since it may be a page of rows.
    Raises UnreadableError: document_too_large, duplicate_column, bad_header, and what `opened` does.
    """
    match layout:
        case Layout.JSONL:
            return _line_cuts(stream, size, records)
        case Layout.ARRAY:
            return array_cuts(stream, size, records)
        case Layout.CSV:
            return csv_cuts(stream, size, records)
        case _:
            return _whole(stream)


def items_of(piece: Cut, layout: Layout, path: str = "") -> Iterator[Item]:
    """The source records of one cut, in order; blank lines are none.

    path: the file's path inside its input. An item that cannot be a record carries its refusal.
    """
    if layout not in {Layout.JSONL, Layout.ARRAY, Layout.CSV} and is_too_deep(piece.body):
        line, offset = piece.first_line, piece.offset
        return iter([Item(line=line, offset=offset, body=b"", path=path, refusal=too_deep())])
    return map(shallow, _items(piece, layout, path))


def _items(piece: Cut, layout: Layout, path: str) -> Iterator[Item]:
    match layout:
        case Layout.JSONL:
            return _lines(piece, path)
        case Layout.ARRAY:
            return array_items(piece, path)
        case Layout.CSV:
            return csv_items(piece, path)
        case Layout.DOCUMENT:
            return _documents(piece, path)
        case Layout.TEXT:
            return iter([Item(line=1, offset=piece.offset, body=piece.body, path=path)])
        case Layout.SSE:
            stream = Item(line=1, offset=piece.offset, body=piece.body, path=path, is_stream=True)
            return iter([stream])


def _line_cuts(stream: Readable, size: int, records: int) -> Iterator[Cut]:
    source = pieces(stream)
    begun, offset, is_all = _beginning(source)
    if is_all:
        yield Cut(first_line=1, offset=offset, body=begun.rstrip())
        return
    held = bytearray()
    line, held_lines = 1, 0
    skipping = False
    for piece, _ in chain([(begun, 0)], source):
        held += piece
        held_lines += piece.count(b"\n")
        while held:
            if skipping:
                end = held.find(b"\n") + 1
                skipping = end == 0
                dropped = end or len(held)
                del held[:dropped]
                offset += dropped
                line += not skipping
                held_lines -= not skipping
                continue
            if len(held) < size and held_lines < records:
                break
            end = held.rfind(b"\n", 0, size) + 1 or held.find(b"\n", size) + 1
            if not end:
                if len(held) <= LINE_LIMIT:
                    break
                end = LINE_LIMIT + 1
                skipping = True
            body = bytes(held[:end])
            del held[:end]
            yield Cut(first_line=line, offset=offset, body=body)
            lines = body.count(b"\n")
            line += lines
            held_lines -= lines
            offset += end
    if held:
        yield Cut(first_line=line, offset=offset, body=bytes(held))


def _beginning(source: Iterator[tuple[bytes, int]]) -> tuple[bytes, int, bool]:
    """The stream's first bytes, the mark dropped before them, and whether they are a single long line.

    Reads on while the first line has not ended, and while nothing follows one that is too long.
    """
    held = bytearray()
    offset, end = 0, -1
    for piece, mark in source:
        offset += mark
        searched = len(held)
        held += piece
        end = held.find(b"\n", searched) if end < 0 else end
        decided = end >= 0 and (end <= LINE_LIMIT or not held[end:].isspace())
        if decided or len(held) > DOCUMENT_LIMIT:
            return bytes(held), offset, False
    return bytes(held), offset, (len(held) if end < 0 else end) > LINE_LIMIT + 1


def _whole(stream: Readable) -> Iterator[Cut]:
    body = bytearray()
    offset = 0
    for piece, mark in pieces(stream):
        offset += mark
        body += piece
        if len(body) > DOCUMENT_LIMIT:
            reason = f"one document of more than {DOCUMENT_LIMIT:,} bytes"
            raise UnreadableError("document_too_large", reason)
    if body:
        yield Cut(first_line=1, offset=offset, body=bytes(body))


def _lines(piece: Cut, path: str) -> Iterator[Item]:
    if piece.first_line == 1 and len(piece.body) > LINE_LIMIT + 1 and b"\n" not in piece.body:
        # What was shortened is never so long: this is a file of one line, kept whole.
        yield Item(line=1, offset=piece.offset, body=piece.body, path=path)
        return
    line, offset = piece.first_line, piece.offset
    for text in piece.body.split(b"\n"):
        if text and not text.isspace():
            yield item(line, offset, text, path)
        line += 1
        offset += len(text) + 1


def _documents(piece: Cut, path: str) -> Iterator[Item]:
    """One item for the usual single document, several where documents follow each other."""
    if kind_of(piece.body):
        yield Item(line=piece.first_line, offset=piece.offset, body=piece.body, path=path)
        return
    try:
        msgspec.json.decode(piece.body, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):
        found = documents(piece.body)
    else:
        found = iter([(0, piece.body)])
    line, counted = piece.first_line, 0
    for start, text in found:
        line += piece.body.count(b"\n", counted, start)
        counted = start
        yield Item(line=line, offset=piece.offset + start, body=text, path=path)
