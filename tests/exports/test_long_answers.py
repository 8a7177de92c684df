"""Long answers through the gate: passed on while they are made, never held whole."""

import asyncio
import json
import threading
from itertools import pairwise

import pytest

from accounting.config.answers import COLLECTED_BYTES, HELD_BYTES, SlowReaderError
from accounting.config.gate import Gate
from tests.api.test_gate import END, GONE, QUICK, coming, piece, scope

BLOCK = b"x" * 65_536


class Made:
    """A long answer that counts the pieces it made and notes where it was closed."""

    def __init__(self, pieces, fails_at=None):
        self.made = 0
        self.closed_in = None
        self.pieces = pieces
        self.fails_at = fails_at

    def __iter__(self):
        for n in range(self.pieces):
            if n == self.fails_at:
                raise RuntimeError("the books are away")
            self.made += 1
            self.thread = threading.get_ident()
            yield BLOCK

    def close(self):
        self.closed_in = threading.get_ident()


def serving(answer, headers=()):
    def application(_environ, start_response):
        start_response("200 OK", list(headers))
        return answer

    return application


def sent(application, *messages, send=None, **options):
    """What goes out in answer to a request whose messages are these."""
    out = []

    async def keep(message):
        out.append(message)

    async def run():
        gate = Gate(application, patience=QUICK, **options)
        await gate(scope(), coming(*messages), send or keep)

    asyncio.run(run())
    return out


def test_a_long_answer_goes_out_in_pieces_and_ends_as_a_whole_one():
    made = Made(100)
    out = sent(serving(made, [("Content-Type", "text/csv")]), END)
    assert (out[0]["status"], out[0]["headers"]) == (200, [(b"content-type", b"text/csv")])
    bodies = out[1:]
    assert sum(len(one["body"]) for one in bodies) == 100 * len(BLOCK)
    assert [one.get("more_body", False) for one in bodies] == [True] * (len(bodies) - 1) + [False]
    assert max(len(one["body"]) for one in bodies) <= HELD_BYTES + len(BLOCK)
    assert made.closed_in == made.thread


def test_an_answer_is_made_no_faster_than_it_is_taken_in():
    made, ahead = Made(60), []

    async def slowly(message):
        await asyncio.sleep(0.001)
        if message["type"] == "http.response.body" and message["body"]:
            ahead.append(made.made)

    sent(serving(made), END, send=slowly)
    assert {after - before for before, after in pairwise(ahead)} == {1}


def test_an_answer_of_a_known_and_moderate_length_is_collected():
    length = str(10 * len(BLOCK))
    out = sent(serving(Made(10), [("Content-Length", length)]), END)
    assert [len(one["body"]) for one in out[1:]] == [10 * len(BLOCK)]
    longer = [("Content-Length", str(COLLECTED_BYTES + 1))]
    assert len(sent(serving(Made(129), longer), END)) > 100


def test_an_answer_that_breaks_down_never_ends_as_a_whole_one():
    made, out = Made(50, fails_at=20), []

    async def keep(message):
        out.append(message)

    with pytest.raises(RuntimeError, match="the books are away"):
        sent(serving(made), END, send=keep)
    assert out[-1]["more_body"]
    assert made.closed_in == made.thread


def test_nobody_is_told_what_nobody_takes_in():
    async def never(message):
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    made = Made(50)
    # Not caught: an answer that merely ended here would pass for a whole one.
    with pytest.raises(SlowReaderError):
        sent(serving(made), END, send=never)
    assert made.made < 10
    assert made.closed_in == made.thread


def test_an_answer_stops_when_its_reader_has_gone():
    async def slowly(_message):
        await asyncio.sleep(0.001)

    made = Made(5_000)
    sent(serving(made), END, GONE, send=slowly)
    assert made.made < 100
    assert made.closed_in == made.thread


def test_one_more_long_answer_than_go_out_at_once_is_refused():
    out = sent(serving(Made(50)), END, long_answers=0)
    assert (out[0]["status"], json.loads(out[1]["body"])["code"]) == (503, "busy")
    assert len(sent(serving(Made(50)), END, long_answers=1)) > 10


def test_a_long_answer_to_a_body_that_nobody_read_closes_the_connection():
    out = sent(serving(Made(50)), piece(b"x" * 500_000), END)
    assert (b"connection", b"close") in out[0]["headers"]
    assert not out[-1].get("more_body", False)
