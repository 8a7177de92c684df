"""JSON arrays and runs of JSON documents taken apart into their own bytes, so numbers stay exact."""

import re
from collections.abc import Iterator

from ingest.formats.base import LINE_LIMIT, Item
from ingest.formats.compression import Readable
from ingest.formats.pieces import Cut, item, pieces

_STRING = rb'"(?:[^"\\]++|\\.)*+"'
#: Up to the next bracket or comma outside whole strings, and up to the next bracket.
_BETWEEN_COMMAS = re.compile(rb'(?:[^"\[\]{},]++|' + _STRING + rb")*+", re.DOTALL)
_BETWEEN_BRACKETS = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+", re.DOTALL)
_REST_OF_STRING = re.compile(rb"""(?:[^"\\]++|\\.)*+""", re.DOTALL)
_QUOTE, _BACKSLASH, _COMMA = b'"\\,'
_OPENING, _CLOSING = b"[{", b"]}"
_ONE_LINE = bytes.maketrans(b"\r\n", b"  ")


def array_cuts(stream: Readable, size: int, records: int) -> Iterator[Cut]:
    """Cuts of whole elements, one a line."""
    source = pieces(stream)
    offset, piece = _after_bracket(source)
    held: list[bytes] = []
    line, position, held_bytes = 1, offset, 0
    for element, length in _elements_of(piece, source):
        held.append(element)
        held_bytes += length + 1
        if held_bytes >= size or len(held) >= records or length > LINE_LIMIT:
            yield Cut(first_line=line, offset=position, body=b"\n".join(held))
            line, position = line + len(held), position + held_bytes
            held, held_bytes = [], 0
    if held:
        yield Cut(first_line=line, offset=position, body=b"\n".join(held))


def array_items(piece: Cut, path: str) -> Iterator[Item]:
    """The elements of a cut; their line is their position in the array."""
    offset = piece.offset
    for line, text in enumerate(piece.body.split(b"\n"), piece.first_line):
        blank = len(text) - len(text.lstrip())
        yield item(line, offset + blank, text.strip(), path)
        offset += len(text) + 1


def first_elements(text: bytes) -> Iterator[bytes]:
    """The elements that are whole in the beginning of an array."""
    elements = _Elements()
    for element, _ in elements.fed(text.lstrip()[1:]):
        yield element.strip()


def _after_bracket(source: Iterator[tuple[bytes, int]]) -> tuple[int, bytes]:
    """How many bytes stand up to and with the array's opening bracket, and the bytes after it."""
    offset = 0
    for piece, mark in source:
        offset += mark
        blank = len(piece) - len(piece.lstrip())
        if blank < len(piece):
            opening = piece[blank : blank + 1] == b"["
            return offset + blank + opening, piece[blank + opening :]
        offset += len(piece)
    return offset, b"]"


def _elements_of(first: bytes, source: Iterator[tuple[bytes, int]]) -> Iterator[tuple[bytes, int]]:
    elements = _Elements()
    yield from elements.fed(first)
    for piece, _ in source:
        yield from elements.fed(piece)
    yield from elements.rest()


class _Elements:
    """The elements of one JSON array, fed piece by piece with what follows its opening bracket.

    Each comes as the bytes between its commas, line ends turned into spaces: an element is one
    line and keeps its length. One longer than LINE_LIMIT keeps LINE_LIMIT + 1 bytes.
    """

    def __init__(self) -> None:
        self._depth = 1
        self._in_string = False
        self._escaped = False
        self._held = bytearray()
        self._length = 0
        self._found = 0

    def fed(self, piece: bytes) -> Iterator[tuple[bytes, int]]:
        """The elements that end inside the piece, each with its true length."""
        start = 0
        for position in self._marks(piece) if self._depth else ():
            mark = piece[position]
            if mark in _OPENING:
                self._depth += 1
                continue
            if mark in _CLOSING:
                self._depth -= 1
            if self._depth > 1 or (self._depth == 1 and mark != _COMMA):
                continue
            self._hold(piece[start:position])
            start = position + 1
            if self._depth or self._found or self._held.strip():
                yield self._taken()
            if not self._depth:
                break
        self._hold(piece[start:])

    def rest(self) -> Iterator[tuple[bytes, int]]:
        """What stands after the last whole element: text after the array's end, or a torn element.

        An array that stops after a whole element, before its end, gives an empty one too.
        """
        if self._held.strip():
            yield self._taken()
        if self._depth == 1 and not self._in_string:
            yield b"", 0

    def _marks(self, text: bytes) -> Iterator[int]:
        """Where brackets stand outside strings, and commas between the array's elements."""
        position = int(self._escaped)
        self._escaped = False
        while True:
            if self._in_string:
                position = self._string_passed(text, position)
                if self._in_string:
                    return
            skipped = _BETWEEN_COMMAS if self._depth == 1 else _BETWEEN_BRACKETS
            found = skipped.match(text, position)
            position = found.end() if found else position
            if position >= len(text):
                return
            if text[position] == _QUOTE:
                self._in_string = True
            else:
                yield position
            position += 1

    def _string_passed(self, text: bytes, position: int) -> int:
        found = _REST_OF_STRING.match(text, position)
        position = found.end() if found else position
        if position >= len(text):
            return position
        if text[position] == _BACKSLASH:
            self._escaped = True
            return position
        self._in_string = False
        return position + 1

    def _hold(self, text: bytes) -> None:
        self._length += len(text)
        self._held += text[: max(0, LINE_LIMIT + 1 - len(self._held))]

    def _taken(self) -> tuple[bytes, int]:
        element, length = bytes(self._held).translate(_ONE_LINE), self._length
        self._held.clear()
        self._length = 0
        self._found += 1
        return element, length


def documents(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Each JSON document of a run of documents, with the number of bytes before it."""
    depth = start = position = 0
    while found := _BETWEEN_BRACKETS.match(body, position):
        if found.end() == len(body):
            break
        position = found.end() + 1
        mark = body[found.end()]
        if mark == _QUOTE:
            break
        depth += 1 if mark in _OPENING else -1
        if depth <= 0:
            yield _stripped(body, start, position)
            depth, start = 0, position
    if body[start:].strip():
        yield _stripped(body, start, len(body))


def _stripped(body: bytes, start: int, end: int) -> tuple[int, bytes]:
    text = body[start:end]
    return start + len(text) - len(text.lstrip()), text.strip()
