"""CSV records: quoted line ends are part of a record, and an open quote costs only its own line."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.formats.base import LINE_LIMIT, Item, RejectedError, UnreadableError
from ingest.formats.compression import Readable
from ingest.formats.pieces import Cut, pieces, too_long
from ingest.formats.shown import shown

#: A quote that is still open after so many lines was never closed.
_LINES_PER_RECORD = 1_000


def csv_cuts(stream: Readable, size: int, records: int) -> Iterator[Cut]:
    """Cuts of whole CSV records with the header kept beside them."""
    lines = _physical_lines(stream)
    offset, header, length = next(lines, (0, b"", 0))
    header_names(header)
    held: list[Row] = []
    held_bytes = 0
    following = ((text, true_length) for _, text, true_length in lines)
    for row in rows(following, first_line=2, offset=offset + length):
        held.append(row)
        held_bytes += row.length
        is_full = held_bytes >= size or len(held) >= records
        if is_full or row.length > len(row.text):
            yield _csv_cut(held, header)
            held, held_bytes = [], 0
    if held:
        yield _csv_cut(held, header)


def csv_items(piece: Cut, path: str) -> Iterator[Item]:
    """The rows of a cut by column name; blank lines are none."""
    header = header_names(piece.header)
    lines = ((text, len(text)) for text in _kept_lines(piece.body))
    for row in rows(lines, first_line=piece.first_line, offset=piece.offset):
        if not row.text.strip():
            continue
        try:
            body = fields_of(row, header)
        except RejectedError as error:
            yield Item(line=row.line, offset=row.offset, body={}, path=path, refusal=error)
        else:
            yield Item(line=row.line, offset=row.offset, body=body, path=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The bytes of one CSV record.

    length: its true length, more than len(text) when it was too long to keep.
    """

    line: int
    offset: int
    text: bytes
    length: int
    lines: int = 1
    is_open: bool = False


def rows(lines: Iterable[tuple[bytes, int]], *, first_line: int, offset: int) -> Iterator[Row]:
    """The records of (line, true length) pairs; each line ends with its line end.

    A line whose quote is not closed within LINE_LIMIT bytes, 1,000 lines or the end of the text
    comes back alone and open; reading goes on at the next line.
    """
    source = iter(lines)
    waiting: deque[tuple[bytes, int]] = deque()
    line = first_line
    while True:
        row = _row(source, waiting, line, offset)
        if row is None:
            return
        yield row
        line += row.lines
        offset += row.length


def _row(
    source: Iterator[tuple[bytes, int]],
    waiting: deque[tuple[bytes, int]],
    line: int,
    offset: int,
) -> Row | None:
    taken: list[tuple[bytes, int]] = []
    is_open, length = False, 0
    while True:
        following = waiting.popleft() if waiting else next(source, None)
        if following is not None:
            taken.append(following)
            length += following[1]
            is_open ^= bool(following[0].count(b'"') & 1)
        elif not taken:
            return None
        if not is_open and following is not None:
            text = b"".join(part for part, _ in taken)
            return Row(line=line, offset=offset, text=text, length=length, lines=len(taken))
        if following is None or length > LINE_LIMIT or len(taken) >= _LINES_PER_RECORD:
            waiting.extendleft(reversed(taken[1:]))
            text, length = taken[0]
            return Row(line=line, offset=offset, text=text, length=length, is_open=True)


def header_names(header: bytes) -> tuple[str, ...]:
    """The names of a CSV header; UnreadableError where two columns have one name."""
    try:
        names = tuple(name.strip() for name in _cells(header))
    except RejectedError as error:
        raise UnreadableError("bad_header", f"the header line: {error.reason}") from error
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UnreadableError("duplicate_column", f"two columns are named {shown(twice[0])}")
    return names


def fields_of(row: Row, header: tuple[str, ...]) -> dict[str, str]:
    """A record's cells by column name, or RejectedError."""
    if len(row.text.rstrip(b"\r\n")) > LINE_LIMIT:
        raise too_long()
    if row.is_open:
        raise RejectedError("unclosed_quote", "a quote is opened and never closed")
    cells = _cells(row.text)
    if len(cells) != len(header):
        reason = f"{len(cells)} columns, the header has {len(header)}"
        raise RejectedError("column_mismatch", reason, value=len(cells))
    return dict(zip(header, cells, strict=True))


def _cells(text: bytes) -> list[str]:
    try:
        plain = text.rstrip(b"\r\n").decode()
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start} of the record"
        raise RejectedError("invalid_utf8", reason, value=error.start) from error
    if "\0" in plain:
        raise RejectedError("nul_character", "holds a NUL character")
    try:
        return next(csv.reader([plain], strict=True), [])
    except csv.Error as error:
        raise RejectedError("bad_csv", f"not a CSV record: {error}") from error


def _kept_lines(body: bytes) -> Iterator[bytes]:
    """The lines with their line ends; only a newline ends a line."""
    *ended, rest = body.split(b"\n")
    for text in ended:
        yield text + b"\n"
    if rest:
        yield rest


def _csv_cut(held: list[Row], header: bytes) -> Cut:
    body = b"".join(row.text for row in held)
    return Cut(first_line=held[0].line, offset=held[0].offset, body=body, header=header)


def _physical_lines(stream: Readable) -> Iterator[tuple[int, bytes, int]]:
    """(offset, line with its line end, true length); the text keeps LINE_LIMIT + 1 bytes at most."""
    held = bytearray()
    offset = dropped = 0
    for piece, mark in pieces(stream):
        offset += mark
        *ended, rest = piece.split(b"\n")
        for text in ended:
            held += text
            length = len(held) + dropped + 1
            yield offset, bytes(held[: LINE_LIMIT + 1]) + b"\n", length
            offset += length
            held.clear()
            dropped = 0
        held += rest
        if len(held) > LINE_LIMIT + 1:
            dropped += len(held) - LINE_LIMIT - 1
            del held[LINE_LIMIT + 1 :]
    if held:
        yield offset, bytes(held[: LINE_LIMIT + 1]), len(held) + dropped
