"""Tables that a mapping explains and texts in another encoding: as plain CSV or JSON, and what they are."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounting.models import Import
from ingest.formats import by_name
from ingest.formats.base import Format, UnreadableError
from ingest.formats.compression import Readable, opened
from ingest.formats.cutting import Layout
from ingest.formats.detection import Detection, detect
from ingest.formats.mapping import NAME, ColumnMapping, mapped_format, mapping_from
from ingest.formats.rows import header_names
from ingest.formats.shown import counted
from ingest.services.sheets import ZIP_MAGIC, sheet_as_csv
from ingest.services.streams import Peeked

#: What a text may be written in; never guessed, a person chooses it.
ENCODINGS = ("utf-8", "gb18030")
_BOM = b"\xef\xbb\xbf"
_LINE_LIMIT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How somebody says a file is to be read. mapping: for a table of no known format."""

    mapping: ColumnMapping | None = None
    encoding: str = ""

    def as_json(self) -> dict[str, Any]:
        """What is kept among an import's options."""
        kept = {"encoding": self.encoding} if self.encoding else {}
        return {**kept, "mapping": dict(self.mapping.definition)} if self.mapping else kept

    def plain(self, stream: Readable) -> Peeked:
        """The stream's text in UTF-8: unpacked, a workbook's sheet as CSV, another encoding turned."""
        found = Peeked(opened(stream))
        if self.mapping is not None and found.head.startswith(ZIP_MAGIC):
            return Peeked(sheet_as_csv(found, self.mapping.sheet))
        if self.encoding not in {"", "utf-8"}:
            return Peeked(_Turned(found, self.encoding))
        return found

    def detected(self, head: bytes, name: str, *, wanted: str = "") -> Detection:
        """What the file is: as the mapping says, else as detection finds."""
        if self.mapping is None:
            return detect(head, name, wanted=wanted)
        _check_utf8(head)
        text = head.removeprefix(_BOM).lstrip()
        if not text:
            raise UnreadableError("empty_file", "nothing in it")
        layout = {b"[": Layout.ARRAY, b"{": Layout.JSONL}.get(text[:1], Layout.CSV)
        if layout is Layout.CSV:
            _check_columns(self.mapping, text.partition(b"\n")[0])
        known = mapped_format(self.mapping)
        reason = f"as the mapping {self.mapping.name} says"
        return Detection(format=known, layout=layout, confidence=1.0, reason=reason)


def format_of(source: Import) -> Format:
    """The format an import was found to be of, also where a mapping explains it."""
    definition = source.options.get("mapping")
    if source.format == NAME and isinstance(definition, Mapping):
        return mapped_format(mapping_from(definition))
    return by_name(source.format)


def _check_utf8(head: bytes) -> None:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start}"
        try:
            codecs.getincrementaldecoder("gb18030")().decode(head)
        except UnicodeDecodeError:
            pass
        else:
            reason += "; it may be GB18030: if so, import it with that encoding"
        raise UnreadableError("encoding_not_utf8", reason) from error


def _check_columns(mapping: ColumnMapping, header: bytes) -> None:
    names = header_names(header)
    missing = [column for column in mapping.columns.values() if column not in names]
    if missing:
        reason = (
            f"no column is named {missing[0]!r}; there are {counted(names, 'column', 'columns')}"
        )
        raise UnreadableError("missing_column", reason)


class _Turned:
    """A stream turned into UTF-8 line by line; a line that is none stays as it is, to be rejected."""

    def __init__(self, stream: Readable, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._rest = b""
        self._held = bytearray()

    def read(self, size: int, /) -> bytes:
        """At most size bytes; b'' at the end."""
        while len(self._held) < size and (piece := self._stream.read(64 * 1024)):
            *lines, self._rest = (self._rest + piece).split(b"\n")
            for line in lines:
                self._held += self._turned(line) + b"\n"
            if len(self._rest) > _LINE_LIMIT:
                self._held += self._rest
                self._rest = b""
        if len(self._held) < size and self._rest:
            self._held += self._turned(self._rest)
            self._rest = b""
        piece = bytes(self._held[:size])
        del self._held[:size]
        return piece

    def _turned(self, line: bytes) -> bytes:
        try:
            return line.decode(self._encoding).encode()
        except UnicodeDecodeError:
            return line
