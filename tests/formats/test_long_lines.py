"""A file that is one long line is read whole; a long line without usage is skipped, not rejected."""

import io
import json
import tracemalloc

import pytest

from ingest.formats.base import LINE_LIMIT, SAMPLE_BYTES, Skipped
from ingest.formats.cutting import DOCUMENT_LIMIT, Layout, cut, items_of
from ingest.formats.pieces import CUT_BYTES
from tests.formats.reading import Books, detected, refused, sample, told

FILLING = "x" * (LINE_LIMIT + 10)


def page(rows, filling):
    """An API page on one line whose rows carry bodies."""
    found = json.loads(sample("newapi/page.json"))["data"]["items"][0]
    items = [{**found, "id": n, "request_id": f"r-{n}", "content": filling} for n in range(rows)]
    return json.dumps({"data": {"items": items}}).encode()


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n\n"])
def test_a_page_on_one_long_line_is_read(end):
    body = page(4, "x" * (LINE_LIMIT // 2)) + end
    found = detected(body)
    outcomes = told(found.format.name, body, layout=found.layout)
    assert (found.format.name, Books.of(outcomes).requests) == ("newapi", 4)


def test_a_page_whose_first_row_is_longer_than_the_sample_is_read():
    body = page(20, "x" * 2 * SAMPLE_BYTES)
    found = detected(body)
    assert Books.of(told(found.format.name, body, layout=found.layout)).requests == 20


def test_an_array_whose_first_element_is_longer_than_the_sample_is_told_by_its_keys():
    row = sample("litellm_payload/calls.jsonl").split(b"\n")[0]
    long = json.dumps(json.loads(row) | {"response": "x" * SAMPLE_BYTES}).encode()
    body = b"[" + long + b"," + long.replace(b"chatcmpl-one", b"chatcmpl-two") + b"]"
    found = detected(body)
    assert (found.format.name, found.layout) == ("litellm_payload", Layout.ARRAY)
    assert Books.of(told(found.format.name, body, layout=found.layout)).requests == 2


@pytest.mark.parametrize("size", [10, LINE_LIMIT, 4 * LINE_LIMIT])
@pytest.mark.parametrize("rest", [b'{"b":2}', b"\n\n{}", b"\n" + b"y" * (2 * LINE_LIMIT)])
def test_a_long_first_line_with_others_after_it_is_no_document(size, rest):
    body = b'{"a":"' + FILLING.encode() + b'"}\n' + rest
    items = [
        i for piece in cut(io.BytesIO(body), Layout.JSONL, size) for i in items_of(piece, "jsonl")
    ]
    first, last = items[0], items[-1]
    assert (first.line, first.refusal.code) == (1, "line_too_long")
    assert last.offset == len(body) - len(rest.lstrip())


def test_a_single_line_longer_than_any_document_is_too_long_in_little_memory():
    class Endless:
        left = DOCUMENT_LIMIT + 10

        def read(self, size):
            size = min(size, self.left)
            self.left -= size
            return b"x" * size

    items = [i for piece in cut(Endless(), Layout.JSONL) for i in items_of(piece, Layout.JSONL)]
    assert [i.refusal.code for i in items] == ["line_too_long"]


def transcript(kind):
    """A line of Claude Code, as long as an image makes it."""
    head = {
        "parentUuid": None,
        "sessionId": "s-1",
        "type": kind,
        "timestamp": "2026-04-07T08:00:00Z",
    }
    return json.dumps(head | {"message": {"role": kind, "content": FILLING}}).encode() + b"\n"


SHORT = sample("claude_code/projects/-srv-shop/s-1.jsonl").split(b"\n")[2] + b"\n"


@pytest.mark.parametrize("kind", ["user", "attachment", "progress"])
def test_a_long_line_of_a_transcript_without_usage_is_skipped(kind):
    outcomes = told("claude_code", SHORT + transcript(kind) + SHORT)
    assert [type(o) for o in outcomes][1] is Skipped
    assert Books.of(outcomes).requests == 1


def test_a_long_answer_is_rejected():
    unknown = b'{"content":"' + FILLING.encode() + b'","type":"user"}\n'
    torn = b"user" + FILLING.encode() + b"\n"
    endless = b'{"tokens":1e99999999999999999999,' + transcript("user")[1:]
    outcomes = told("claude_code", SHORT + transcript("assistant") + unknown + torn + endless)
    assert refused(outcomes) == [(n, "line_too_long") for n in (2, 3, 4, 5)]


@pytest.mark.parametrize(
    ("kind", "inner", "code"),
    [
        ("response_item", "function_call_output", "no_usage"),
        ("compacted", "", "no_usage"),
        ("event_msg", "user_message", "no_usage"),
        ("event_msg", "token_count", "line_too_long"),
        ("event_msg", None, "line_too_long"),
        ("token_usage_record", "", "line_too_long"),
    ],
)
def test_a_long_line_of_a_rollout(kind, inner, code):
    payload = {"type": inner, "output": FILLING} if inner is not None else {"output": FILLING}
    line = {"timestamp": "2026-04-07T08:00:00Z", "type": kind, "payload": payload}
    (_, outcome) = told("codex", b'{"type":"other"}\n' + json.dumps(line).encode())
    assert outcome.code == code


def test_long_lines_are_spared_in_constant_memory():
    lines = (transcript("user") for _ in range(60))

    class Lines:
        held = b""

        def read(self, size):
            self.held = self.held or next(lines, b"")
            piece, self.held = self.held[:size], self.held[size:]
            return piece

    tracemalloc.start()
    found = [o for piece in cut(Lines(), Layout.JSONL) for o in items_of(piece, Layout.JSONL)]
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found) == 60
    assert held < 60 * SAMPLE_BYTES + 2_000_000
    assert peak < 60 * SAMPLE_BYTES + 5 * CUT_BYTES


@pytest.mark.parametrize(("start", "end"), [(b"", b""), (b"[", b"]")])
def test_a_first_event_longer_than_the_sample_costs_its_neighbour_nothing(start, end):
    good = b'{"id":"r-%d","started_at":"2026-04-07T08:00:00Z","input_tokens":5'
    long = good % 1 + b',"tags":{"note":"' + b"x" * 2 * SAMPLE_BYTES + b'"}}'
    body = start + long + (b"," if start else b"\n") + good % 2 + b"}" + end
    found = detected(body)
    rejected, counted = told(found.format.name, body, layout=found.layout)
    assert (found.format.name, rejected.code) == ("native", "text_too_long")
    assert counted.records[0].use.counts.input_tokens == 5
