"""Damaged, odd and enormous files: every readable record is read, every other is named by its line."""

import gzip
import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.formats import by_name
from ingest.formats.base import Counted
from ingest.formats.cutting import Layout, cut, items_of
from ingest.formats.pieces import CUT_BYTES
from tests.failures.logs import AT, event
from tests.formats.reading import OPTIONS, Books, detected, refused, told


def line(number, **more):
    return json.dumps(event(id=f"r-{number}", input_tokens=1, output_tokens=1, **more)).encode()


def read(body):
    return told("native", body)


def requests(body):
    return Books.of(read(body)).requests


class Generated:
    """A stream of lines that nobody holds in memory."""

    def __init__(self, lines):
        self._lines = iter(lines)
        self._held = b""

    def read(self, size):
        while len(self._held) < size and (more := next(self._lines, None)) is not None:
            self._held += more
        piece, self._held = self._held[:size], self._held[size:]
        return piece


def rows_and_peak(lines):
    """How many outcomes, counted or not, and the most memory that reading them took."""
    known, state = by_name("claude_code"), by_name("claude_code").new_state()
    found, counted = 0, 0
    tracemalloc.start()
    for piece in cut(Generated(lines), Layout.JSONL):
        for outcome in known.read(items_of(piece, Layout.JSONL), OPTIONS, state):
            found += 1
            counted += isinstance(outcome, Counted)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return found, counted, peak


def filled(number, size, kind="assistant"):
    """A line of a transcript of about this many bytes."""
    told_by = {
        "id": f"m{number}",
        "model": "opal",
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }
    text = {
        "type": kind,
        "sessionId": "s",
        "timestamp": AT,
        "message": {**told_by, "text": "x" * size},
    }
    return json.dumps(text).encode() + b"\n"


@pytest.mark.parametrize("kind", ["assistant", "user"], ids=["B131 with usage", "B131 without any"])
def test_memory_does_not_grow_with_the_file(kind):
    found, counted, peak = rows_and_peak(filled(n, 60_000, kind) for n in range(400))
    assert (found, counted) == (400, 400 * (kind == "assistant"))
    assert peak < 5 * CUT_BYTES


@pytest.mark.slow
def test_b131_600_megabytes_are_read_in_the_memory_of_6():
    found, counted, peak = rows_and_peak(filled(n, 600_000) for n in range(1_000))
    assert (found, counted) == (1_000, 1_000)
    assert peak < 64_000_000


def test_b133_a_byte_order_mark_costs_no_record():
    assert requests(b"\xef\xbb\xbf" + b"\n".join([line(1), line(2), line(3)])) == 3
    assert requests(b"\xef\xbb\xbf" + line(1)) == 1


def test_b135_a_bad_byte_costs_its_own_line_and_says_so():
    bad = line(2).replace(b"testing", b"test\xffing")
    outcomes = read(b"\n".join([line(1), bad, line(3)]))
    assert (Books.of(outcomes).requests, refused(outcomes)) == (2, [(2, "invalid_utf8")])


def test_b136_half_a_character_never_reaches_the_database():
    body = b"\n".join([line(1), line(2, user_id="a\udcb2"), line(3)])
    outcomes = read(body)
    assert (Books.of(outcomes).requests, refused(outcomes)) == (2, [(2, "invalid_unicode")])


def test_b138_a_last_line_without_its_end_counts():
    assert requests(line(1) + b"\n" + line(2)) == 2


ODD = b"\n".join(
    [
        b"\xef\xbb\xbf" + line(1, user_id="a\u2028b"),
        line(2, user_id="\U0001f600"),
        line(3, duration_ms=1.5e3),
        b'{"torn": "\\u12',
        b"",
        line(4),
    ]
)


@given(size=st.integers(1, 400))
@settings(max_examples=40, deadline=None)
def test_b140_the_borders_of_pieces_do_not_show(size):
    class Pieces(Generated):
        def read(self, wanted):
            return super().read(min(wanted, size))

    pieces = cut(Pieces([ODD]), Layout.JSONL, size)
    native = by_name("native")
    found = [
        outcome
        for piece in pieces
        for outcome in native.read(items_of(piece, Layout.JSONL), OPTIONS, native.new_state())
    ]
    assert found == read(ODD)
    assert refused(found) == [(4, "not_json")]


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c"])
def test_b141_only_a_line_feed_ends_a_line(mark):
    text = json.dumps(event(id="r", input_tokens=1, user_id=f"a{mark}b"), ensure_ascii=False)
    assert len(read(text.encode())) == 1


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
def test_b141_and_such_a_line_is_counted(mark):
    text = json.dumps(event(id="r", input_tokens=1, user_id=f"a{mark}b"), ensure_ascii=False)
    assert requests(text.encode()) == 1


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("field", ["duration_ms", "input_tokens", "reported_cost"])
def test_b143_what_is_no_number_is_refused_when_it_is_written(field, number):
    text = json.dumps(event(id="r", reported_currency="USD", **{field: 1}))
    (outcome,) = read(text.replace(f'"{field}": 1', f'"{field}": {number}').encode())
    assert outcome.code in {"not_a_number", "number_out_of_range", "too_many_digits"}


def test_b145_a_measurement_without_its_rates_is_a_row_with_unknowns():
    (outcome,) = told("token_timing", b'{"ttft_ms":50,"tpot_ms":null,"tokens":1,"total_ms":50}')
    use = outcome.records[0].use
    assert (use.counts.output_tokens, use.ttft_ms, use.tpot_ms) == (1, 50.0, None)


def run(**more):
    """A run of SGLang's benchmark with one request."""
    told_by = {
        "backend": "sglang",
        "dataset_name": "random",
        "request_rate": 1.0,
        "duration": 2.0,
        "completed": 1,
        "total_input_tokens": 100,
        "total_output_tokens": 1_024,
        "total_output_tokens_retokenized": 979,
        "mean_ttft_ms": 50.0,
    }
    return json.dumps({**told_by, **more}).encode()


def test_b146_the_servers_count_is_the_output_not_the_clients():
    lists = {
        "input_lens": [100],
        "output_lens": [1_024],
        "ttfts": [0.05],
        "itls": [[]],
        "errors": [""],
    }
    body = run(**lists)
    found = Books.of(told(detected(body).format.name, body))
    assert (found.requests, found.total("output_tokens")) == (1, 1_024)


def test_b148_every_member_of_a_gzip_file_is_read():
    first = gzip.compress(line(0) + b"\n")
    others = gzip.compress(b"".join(line(n) + b"\n" for n in range(1, 100)))
    assert requests(first + others) == 100
