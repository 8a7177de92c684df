"""Takes the texts out of a log and leaves all it counts by, byte for byte in its place.

It works on the text itself, not on parsed records: what is no JSON stays as wrong as it was, numbers
keep their digits, and every record keeps its line and its offset, because a text is overwritten by as
many spaces. Pure; one pass.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

#: A text longer than this, or of more words, is none of the names and ids that readers need.
LONG = 256
WORDY = 8
#: What these name is a prompt, an answer or a part of one: no text below it stays but SHORT_NAMES.
CONTENTS = frozenset(
    [
        "arguments",
        "content",
        "contents",
        "function_call",
        "functions",
        "generated_texts",
        "input_messages",
        "instructions",
        "messages",
        "output_messages",
        "parts",
        "prompt",
        "prompts",
        "reasoning_content",
        "systeminstruction",
        "system_instructions",
        "thinking",
        "tooluseresult",
        "tool_calls",
        "tool_definitions",
        "tools",
    ]
)
#: A text of such a name is one too; an object or a list of that name may hold counts as well.
TEXTS = frozenset(
    [
        "answer",
        "body",
        "command",
        "completion",
        "data",
        "data_base64",
        "delta",
        "error_message",
        "input",
        "last_message",
        "message",
        "output",
        "query",
        "reasoning",
        "refusal",
        "request",
        "response",
        "result",
        "snippet",
        "stderr",
        "stdout",
        "summary",
        "system",
        "text",
        "title",
        "value",
    ]
)
#: What kind of thing something is, also among contents.
SHORT_NAMES = frozenset(["id", "model", "object", "role", "status", "type"])

_TOKENS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|[^"{}\[\],:]++|"', re.DOTALL)
_BARE = re.compile(rb"(?:true|false|null|[-+.\d\seE]|NaN|Infinity)*+")
#: A number or a moment, also when it is written as a text.
_MEASURE = re.compile(rb"\s*(?:[-+]?[\d.,eE+-]{1,40}|\d{4}-\d\d-\d\d[T ][\d:.,Z+-]{4,30})\s*")
_FIELD = re.compile(rb"\s*(?:(data:)|(?:event|id|retry)?:[\w\s.-]{0,80}$)")
_CELLS = re.compile(rb'"(?:[^"]++|"")*+"|[^",\r\n]++|[,\r\n]|"')
_OPENING, _CLOSING = b"{[", b"}]"


def redacted_lines(body: bytes) -> bytes:
    """Records of JSON one to a line, or a stream of events, without their texts; as long as it was."""
    return b"\n".join(map(_redacted_line, body.split(b"\n")))


def redacted_document(body: bytes) -> bytes:
    """JSON over several lines without its texts; as long as it was."""
    return b"".join(_redacted(body))


def redacted_csv(body: bytes, header: tuple[str, ...]) -> bytes:
    """CSV records without their texts, which are known by their column; as long as it was."""
    return b"".join(_redacted_cells(body, header))


@dataclass(slots=True)
class _Frame:
    """An object or list that is open. key: of the member that comes or came last.

    label: what a member named key, name or similar says of the one named value.
    """

    is_object: bool
    is_content: bool
    key: str = ""
    label: str = ""
    awaits_key: bool = False


def _redacted_line(line: bytes) -> bytes:
    field = _FIELD.match(line)
    if field is None:
        return b"".join(_redacted(line))
    if field[1]:
        return line[: field.end()] + b"".join(_redacted(line[field.end() :]))
    return line


def _redacted(text: bytes) -> Iterator[bytes]:
    stack: list[_Frame] = []
    for token in _TOKENS.findall(text):
        frame = stack[-1] if stack else None
        first = token[:1]
        if first in _OPENING:
            is_content = frame is not None and _is_content(frame)
            stack.append(_Frame(first == b"{", is_content, awaits_key=first == b"{"))
        elif first in _CLOSING:
            del stack[-1:]
        elif first == b",":
            if frame is not None:
                frame.awaits_key = frame.is_object
        elif first == b'"' and len(token) > 1:
            yield _redacted_string(token, frame)
            continue
        elif first != b":" and not _BARE.fullmatch(token):
            yield _blank(token)  # no JSON: nobody knows what it is
            continue
        yield token


def _redacted_string(token: bytes, frame: _Frame | None) -> bytes:
    if frame is None:
        return _emptied(token)
    if frame.awaits_key:
        frame.awaits_key = False
        frame.key = _name(token)
        return token
    if frame.key in {"key", "name"}:
        frame.label = _name(token)
    if token[1:2] in _OPENING and not _is_content(frame):
        return _redacted_inside(token)
    if _is_prose(token) or (_is_text(frame) and not _MEASURE.fullmatch(token[1:-1])):
        return _emptied(token)
    return token


def _is_prose(text: bytes) -> bool:
    return len(text) > LONG or text.count(b" ") > WORDY


def _is_content(frame: _Frame) -> bool:
    """Whether what the frame's member holds is a prompt or an answer, whatever it is."""
    name = frame.label if frame.key == "value" and frame.label else frame.key
    return frame.is_content or name in CONTENTS


def _is_text(frame: _Frame) -> bool:
    if frame.is_content:
        return frame.key not in SHORT_NAMES
    return frame.key in CONTENTS or frame.key in TEXTS


def _redacted_inside(token: bytes) -> bytes:
    """JSON that stands as a text in JSON."""
    try:
        text: str = json.loads(token)
        inside = redacted_document(text.encode())
        written = json.dumps(inside.decode(), ensure_ascii=False).encode()
    except ValueError:
        return _emptied(token)
    return written.ljust(len(token)) if len(written) <= len(token) else _emptied(token)


def _redacted_cells(body: bytes, header: tuple[str, ...]) -> Iterator[bytes]:
    names = [name.strip().lower() for name in header]
    column = 0
    for cell in _CELLS.findall(body):
        if cell == b",":
            column += 1
        elif cell in {b"\n", b"\r"}:
            column = 0
        else:
            name = names[column] if column < len(names) else ""
            yield _redacted_cell(cell, name)
            continue
        yield cell


def _redacted_cell(cell: bytes, name: str) -> bytes:
    quote = b'"' if cell[:1] == b'"' and len(cell) > 1 else b""
    inside = cell[1:-1] if quote else cell
    if _MEASURE.fullmatch(inside):
        return cell
    if name in CONTENTS:
        written = b""
    elif inside.lstrip()[:1] in _OPENING and inside.strip():
        written = redacted_document(inside.replace(b'""', b'"')).replace(b'"', b'""')
    elif name in TEXTS or _is_prose(cell):
        written = b""
    else:
        return cell
    fitting = written if len(written) <= len(inside) else b""
    return quote + fitting.ljust(len(inside)) + quote


def _name(token: bytes) -> str:
    """A member's name as the lists above have it: the last part of a dotted one, in small letters."""
    return token[1:-1].decode("utf-8", "replace").rpartition(".")[2].lower()


def _emptied(token: bytes) -> bytes:
    return b'""'.ljust(len(token))


def _blank(token: bytes) -> bytes:
    """Spaces, and line ends where they were."""
    return re.sub(rb"[^\r\n]", b" ", token)
