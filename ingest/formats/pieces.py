"""What every cutter shares: a cut, the pieces of a stream, and the item a line becomes."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.formats.base import LINE_LIMIT, SAMPLE_BYTES, Item, RejectedError
from ingest.formats.compression import Readable

#: A cut holds about so much, or so many records where they are short: one worker books it at once, and
#: each record takes some 5 kB of its memory.
CUT_BYTES = 8 * 1024 * 1024
CUT_RECORDS = 10_000
_PIECE = 256 * 1024
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Some whole records of a file.

    first_line: 1-based number of the first one (of an array: its position). offset: plain bytes
    before it. header: a CSV file's header line, b'' for every other layout.
    """

    first_line: int
    offset: int
    body: bytes
    header: bytes = b""


def pieces(stream: Readable) -> Iterator[tuple[bytes, int]]:
    """The stream piece by piece, each with the bytes dropped before it: a byte-order mark or 0."""
    head = b""
    while len(head) < len(_BOM) and (piece := stream.read(_PIECE)):
        head += piece
    if not head:
        return
    start = len(_BOM) if head.startswith(_BOM) else 0
    yield head[start:], start
    while piece := stream.read(_PIECE):
        yield piece, 0


def item(line: int, offset: int, text: bytes, path: str) -> Item:
    """One line or array element as an item, refused where it is longer than LINE_LIMIT.

    A refused one keeps its head, from which a format may tell that it reports no usage.
    """
    if len(text) <= LINE_LIMIT:
        return Item(line=line, offset=offset, body=text, path=path)
    head = text[:SAMPLE_BYTES]
    return Item(line=line, offset=offset, body=head, path=path, refusal=too_long())


def too_long() -> RejectedError:
    """The refusal of a record that is longer than LINE_LIMIT."""
    reason = f"the record is longer than {LINE_LIMIT:,} bytes"
    return RejectedError("line_too_long", reason, value=f"> {LINE_LIMIT}")
