"""What is kept of a chunk after it was read: its bytes without prompts and answers, for some days.

Only what reads as it did is kept. Where a record is known by its text alone it would be another one
without it, and would count twice when it is read again: its line is left out, or the whole chunk.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import zstandard

from ingest.formats.base import Outcome, Rejected
from ingest.formats.cutting import Cut, Layout
from ingest.formats.otlp_protobuf import kind_of
from ingest.formats.redaction import redacted_csv, redacted_document, redacted_lines
from ingest.formats.rows import header_names

#: What a column is taken for that a mapping does not name.
_UNNAMED = "content"
#: Layouts whose records are lines.
_BY_LINE = frozenset([Layout.JSONL, Layout.ARRAY])


def kept_copy(
    piece: Cut, layout: Layout, read: Callable[[Cut], Sequence[Outcome]], *, columns: frozenset[str]
) -> bytes:
    """The chunk's body without its texts, packed; b'' where it would not read the same.

    read: what its reader makes of a body, from the state in which it began. columns: those that a
    mapping names; empty where none is used.
    """
    body = _redacted(piece, layout, columns)
    if body is None:
        return b""
    before, after = read(piece), read(replace(piece, body=body))
    if layout in _BY_LINE and (wrong := _different_lines(before, after)):
        body = _without(body, [line - piece.first_line for line in wrong])
        before = [outcome for outcome in before if outcome.line not in wrong]
        after = read(replace(piece, body=body))
    if not _is_same(before, after):
        return b""
    return zstandard.ZstdCompressor().compress(body)


def _redacted(piece: Cut, layout: Layout, columns: frozenset[str]) -> bytes | None:
    match layout:
        case Layout.JSONL | Layout.ARRAY:
            return redacted_lines(piece.body)
        case Layout.CSV:
            names = header_names(piece.header)
            if columns:
                names = tuple(name if name in columns else _UNNAMED for name in names)
            return redacted_csv(piece.body, names)
        case Layout.SSE if piece.body.lstrip()[:1] not in {b"[", b"{"}:
            return redacted_lines(piece.body)
        case Layout.SSE | Layout.DOCUMENT:
            return None if kind_of(piece.body) else redacted_document(piece.body)
        case Layout.TEXT:  # counters: names and numbers
            return piece.body


def _different_lines(before: Sequence[Outcome], after: Sequence[Outcome]) -> set[int]:
    """The lines of records that do not read the same any more."""
    if len(before) != len(after):
        return {outcome.line for outcome in (*before, *after)}
    pairs = zip(before, after, strict=True)
    return {outcome.line for pair in pairs if not _is_same(pair[:1], pair[1:]) for outcome in pair}


def _without(body: bytes, lines: Sequence[int]) -> bytes:
    found = body.split(b"\n")
    for number in lines:
        found[number] = b" " * len(found[number])
    return b"\n".join(found)


def _is_same(before: Sequence[Outcome], after: Sequence[Outcome]) -> bool:
    return [*map(_essence, before)] == [*map(_essence, after)]


def _essence(outcome: Outcome) -> Outcome:
    """An outcome without what may quote a text."""
    if isinstance(outcome, Rejected):
        return replace(outcome, reason="", field="", value="")
    return outcome
