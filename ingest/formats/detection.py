"""Tells from a file's first bytes which log format it is, and says what it saw."""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from ingest.formats import FORMATS, by_name
from ingest.formats.arrays import documents, first_elements
from ingest.formats.base import SAMPLE_BYTES, Format, Sample, Unit, UnreadableError
from ingest.formats.compression import GZIP_MAGIC, ZSTD_MAGIC
from ingest.formats.cutting import Layout
from ingest.formats.nesting import is_too_deep, shallow_part, too_deep
from ingest.formats.nuls import without_nuls
from ingest.formats.otlp_protobuf import kind_of
from ingest.formats.torn import TORN, events
from ingest.formats.unknown import BINARY, is_binary, refusal

__all__ = ["SAMPLE_BYTES", "Detection", "detect"]

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SSE_LINE = re.compile(r"(data|event|id|retry)?:")
#: A comment or a sample of Prometheus' text format.
_SCRAPED = re.compile(r"# (HELP|TYPE) |[a-zA-Z_:][\w:]*(\{.*\})?[ \t]+[-+.\w]+([ \t]+\d+)?[ \t]*$")
_COLUMN = re.compile(r"[^{}\[\]<>=;]{1,80}")
_LAYOUTS = {
    Layout.JSONL: Unit.JSON,
    Layout.ARRAY: Unit.JSON,
    Layout.DOCUMENT: Unit.JSON,
    Layout.CSV: Unit.CSV,
    Layout.SSE: Unit.SSE,
    Layout.TEXT: Unit.TEXT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """The format and layout of a file.

    confidence: 1 where whole records were seen, less where only the beginning of one was.
    is_claimed: False where the format was asked for and nothing in the head tells that it is this one.
    """

    format: Format
    layout: Layout
    confidence: float
    reason: str
    is_claimed: bool = True


def detect(head: bytes, path: str = "", *, wanted: str = "") -> Detection:
    """What a file is, from its first SAMPLE_BYTES plain (unpacked) bytes or fewer.

    wanted: a format's name; then the others are not asked.
    Raises UnreadableError: empty_file, encoding_not_utf8, binary_file, line_ends_cr,
    not_json, unknown_format, ambiguous_format, nested_compression, or wrong_layout.
    """
    layout, sample = _protobuf(head, path) or _sampled(
        _text(head), path, is_whole=len(head) < SAMPLE_BYTES
    )
    if wanted:
        return _as_wanted(wanted, layout, sample)
    claims = [
        (known, fitting, reason)
        for known in FORMATS
        if (fitting := _fitting(known, layout)) and (reason := known.recognise(sample))
    ]
    envelopes = [claim for claim in claims if claim[0].is_envelope]
    claims = envelopes or [claim for claim in claims if not claim[0].is_last_resort] or claims
    if not claims:
        raise refusal(sample, is_whole=len(head) < SAMPLE_BYTES)
    if len(claims) > 1:
        claimed = "; ".join(f"{known.name}: {reason}" for known, _, reason in claims)
        raise UnreadableError("ambiguous_format", f"more than one format fits ({claimed})")
    known, fitting, reason = claims[0]
    confidence = 1.0 if sample.objects or sample.header else 0.8
    return Detection(format=known, layout=fitting, confidence=confidence, reason=reason)


def _as_wanted(name: str, layout: Layout, sample: Sample) -> Detection:
    known = by_name(name)
    fitting = _fitting(known, layout)
    if fitting is None:
        raise UnreadableError("wrong_layout", f"{known.title} is never {layout}")
    return Detection(
        format=known,
        layout=fitting,
        confidence=1.0,
        reason="as asked for",
        is_claimed=bool(known.recognise(sample)),
    )


def _fitting(known: Format, layout: Layout) -> Layout | None:
    """How this format cuts a file of this layout; None when it never looks so."""
    units = (known.unit, *known.also)
    if _LAYOUTS[layout] in units:
        return layout
    if Unit.DOCUMENT in units and layout in {Layout.JSONL, Layout.ARRAY, Layout.DOCUMENT}:
        return Layout.DOCUMENT
    return None


def _text(head: bytes) -> str:
    if head.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
        raise UnreadableError("nested_compression", "a compressed file inside a compressed file")
    if head.startswith(_UTF16):
        raise UnreadableError("encoding_not_utf8", "UTF-16; save it as UTF-8")
    plain = without_nuls(head.removeprefix(b"\xef\xbb\xbf"))
    text = _without_depths(plain).decode("utf-8", "replace")
    if not text.strip():
        raise UnreadableError("empty_file", "nothing in it")
    if "\r" in text and "\n" not in text and text.count("\r") > 1:
        raise UnreadableError("line_ends_cr", "its lines end in CR alone; convert them to LF")
    return text


def _without_depths(plain: bytes) -> bytes:
    """The head without what nests too deep to look at, which is rejected when it is read.

    That are lines, or in an array all that comes after the elements before it.
    """
    if not is_too_deep(plain):
        return plain
    lines = [line for line in plain.split(b"\n") if not is_too_deep(line)]
    kept = b"\n".join(lines)
    if not kept.strip() and plain.lstrip().startswith(b"["):
        kept = shallow_part(plain)
        if not any(first_elements(kept)):
            kept = b""
    if not kept.strip() or is_too_deep(kept):
        raise UnreadableError("too_deep", too_deep().reason)
    return kept


def _protobuf(head: bytes, path: str) -> tuple[Layout, Sample] | None:
    """An OTLP export in protobuf, with the key that its JSON would have."""
    key = {"traces": "resourceSpans", "logs": "resourceLogs"}.get(kind_of(head))
    if key is None:
        return None
    text = head.decode("utf-8", "replace")  # names stand in it as they are
    return Layout.DOCUMENT, Sample(text=text, keys=frozenset({key}), path=path)


def _sampled(text: str, path: str, *, is_whole: bool) -> tuple[Layout, Sample]:
    lines = text.split("\n")
    if not is_whole and len(lines) > 1:
        lines.pop()
    lines = [line.rstrip("\r") for line in lines if line.strip()]
    first = lines[0].lstrip()
    if _SSE_LINE.match(first):
        chunks = tuple(_objects(line.partition(":")[2] for line in lines))
        return Layout.SSE, Sample(text=text, objects=chunks, path=path)
    if first.startswith("["):
        return _array(text, lines, path)
    found = tuple(_objects(line for line in lines if line.startswith("{") and len(line) > 2))
    if found and (_object(first) or len(found) > 1 or not first.startswith("{")):
        layout = Layout.SSE if _is_stream(found) else Layout.JSONL
        return layout, Sample(text=text, objects=found, path=path)
    if first.startswith("{"):
        return _document(text, lines, path)
    if _SCRAPED.match(first):
        return Layout.TEXT, Sample(text=text, path=path)
    return _table(text, first, path)


def _array(text: str, lines: list[str], path: str) -> tuple[Layout, Sample]:
    rest = tuple(_objects(lines[1:]))
    if rest and _decoded(lines[0]) is not None:
        return Layout.JSONL, Sample(text=text, objects=rest, path=path)
    found = tuple(_objects(element.decode() for element in first_elements(text.encode())))
    layout = Layout.SSE if _is_stream(found) else Layout.ARRAY
    # The first element may be longer than the sample.
    keys = frozenset() if found else frozenset(_first_keys(text, depth=2))
    return layout, Sample(text=text, objects=found, keys=keys, is_array=True, path=path)


def _document(text: str, lines: list[str], path: str) -> tuple[Layout, Sample]:
    whole = tuple(_objects(body.decode() for _, body in documents(text.encode())))
    keys = frozenset(_first_keys(text))
    layout = Layout.JSONL if not whole and len(lines) == 1 else Layout.DOCUMENT
    return layout, Sample(text=text, objects=whole, keys=keys, path=path)


def _table(text: str, first: str, path: str) -> tuple[Layout, Sample]:
    try:
        header = tuple(name.strip() for name in next(csv.reader([first], strict=True)))
    except csv.Error:
        header = ()
    if len(header) < 2 or not all(_COLUMN.fullmatch(name) for name in header):
        if is_binary(text):
            raise UnreadableError("binary_file", BINARY)
        reason = "a text, neither JSON nor CSV"
        if first.count(";") > 1 or first.count("\t") > 1:
            reason = "a table whose columns are not separated by commas"
        raise UnreadableError("unknown_format", reason)
    return Layout.CSV, Sample(text=text, header=header, path=path)


def _is_stream(found: Iterable[Mapping[str, object]]) -> bool:
    """Whether the objects are chunks of a streamed answer rather than records of their own."""
    rest = iter(found)
    first = next(rest, {})
    kind = str(first.get("type", ""))
    if "candidates" in first and not first.get("responseId"):
        candidates = first["candidates"]
        ended = isinstance(candidates, list) and any(
            isinstance(each, dict) and each.get("finishReason") for each in candidates
        )
        return not ended and next(rest, None) is not None
    return first.get("object") == "chat.completion.chunk" or (
        kind in {"message_start", "message-start", "ping"}
        or "messageStart" in first
        or (kind.startswith("response.") and "response" in first)
    )


def _objects(texts: Iterable[str]) -> Iterator[Mapping[str, object]]:
    for text in texts:
        found = _object(text)
        if found is not None:
            yield found


def _object(text: str) -> Mapping[str, object] | None:
    found = _decoded(text)
    return found if isinstance(found, dict) and found else None


def _decoded(text: str) -> object:
    try:
        return msgspec.json.decode(text.strip())
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return _leniently(text)


def _leniently(text: str) -> object:
    """A text that has NaN or half a character in it: its format is told, its record rejected later."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _first_keys(text: str, depth: int = 1) -> Iterator[str]:
    """The keys of the document's objects at a depth, as far as a text that may be cut off tells them."""
    level = 0
    try:
        for event, value in events(text.encode()):
            level += (event in {"start_map", "start_array"}) - (event in {"end_map", "end_array"})
            if event == "map_key" and level == depth:
                yield value
    except TORN:
        return
