"""Deep text never reaches a decoder: in a server's thread it would end the process."""

import io
import threading

import pytest

from ingest.formats.base import UnreadableError
from ingest.formats.cutting import Layout, cut, items_of
from ingest.formats.detection import detect
from ingest.formats.nesting import SAFE_DEPTH, is_too_deep

GOOD = b'{"id":"1","started_at":"2026-03-02T10:00:00Z","input_tokens":1,"model":"m"}'
DEEP = b'{"id":"2","tags":' + b"[" * 20_000 + b"]" * 20_000 + b"}"
DEEP_OBJECTS = b'{"a":' * 20_000 + b"1" + b"}" * 20_000


@pytest.mark.parametrize("deep", [DEEP, DEEP_OBJECTS, DEEP[:15_000], b"[" * 600_000])
def test_depth_is_told_without_decoding(deep):
    assert is_too_deep(deep)


@pytest.mark.parametrize(
    "shallow",
    [
        b"[" * SAFE_DEPTH + b"]" * SAFE_DEPTH,
        b"[" + b"[]," * 5_000 + b"1]",
        b'{"text":"' + b"[" * 5_000 + b'"}',
        rb'{"text":"\"' + b"[" * 5_000 + rb'\\"}',
    ],
)
def test_breadth_and_text_are_no_depth(shallow):
    assert not is_too_deep(shallow)


def test_closing_brackets_in_strings_hide_nothing():
    assert is_too_deep(b'["]",' * 1_000 + b"1" + b"]" * 1_000)


@pytest.mark.parametrize("deep", [DEEP, DEEP_OBJECTS])
def test_a_deep_line_is_refused_alone_even_in_a_small_stack(deep):
    body = b"\n".join([GOOD, deep, GOOD])
    found = []

    def read():
        kind = detect(body[:65_536], "x.jsonl")
        (piece,) = cut(io.BytesIO(body), kind.layout)
        found.extend(item.refusal for item in items_of(piece, kind.layout))

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert [refusal and refusal.code for refusal in found] == [None, "too_deep", None]


@pytest.mark.parametrize("layout", [Layout.DOCUMENT, Layout.SSE, Layout.TEXT])
def test_a_deep_document_is_one_refused_record(layout):
    (piece,) = cut(io.BytesIO(DEEP), layout)
    (item,) = items_of(piece, layout)
    assert item.refusal.code == "too_deep"


def test_a_file_of_deep_text_alone_is_refused_as_such():
    with pytest.raises(UnreadableError) as refused:
        detect(DEEP, "x.json")
    assert refused.value.code == "too_deep"
