"""What comes between the web server and Django: bodies that stall, break off, or are long."""

import asyncio
import gc
import json
import weakref
from contextlib import suppress

import pytest

from accounting.config import answers
from accounting.config.answers import SlowReaderError
from accounting.config.bodies import SHORT_BYTES, Body, LateBodyError, Patience
from accounting.config.gate import HEADERS_LIMIT, Gate, environ_of

END = {"type": "http.request", "body": b"", "more_body": False}
GONE = {"type": "http.disconnect"}
QUICK = Patience(pause_s=0.05, share_s=0.2)


def piece(body):
    return {"type": "http.request", "body": body, "more_body": True}


def scope(*headers, method="POST", raw_path=b"/a"):
    return {
        "type": "http",
        "method": method,
        "raw_path": raw_path,
        "query_string": b"x=%20",
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", "8400"),
        "client": ("10.0.0.1", "5000"),
        "headers": [(name.encode(), text.encode("latin-1")) for name, text in headers],
    }


def coming(*messages):
    """A receive that brings these messages and then nothing more, ever."""
    waiting = list(messages)

    async def receive():
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    return receive


def answered(application, *messages, asked=None, **options):
    """Status, headers and body of the answer to a request whose body comes so."""
    sent = []

    async def send(message):
        sent.append(message)

    async def run():
        gate = Gate(application, patience=QUICK, **options)
        await gate(asked or scope(), coming(*messages), send)

    asyncio.run(run())
    headers = {name.decode(): text.decode() for name, text in sent[0]["headers"]}
    return sent[0]["status"], headers, b"".join(one.get("body", b"") for one in sent[1:])


class Site:
    """A WSGI application that remembers what it was asked."""

    def __init__(self):
        self.environ = None
        self.body = None

    def __call__(self, environ, start_response):
        self.environ = environ
        try:
            self.body = environ["wsgi.input"].read()
        except OSError as error:
            self.body = error
        start_response("200 OK", [("Content-Type", "text/plain")])
        return [b"o", b"k"]


@pytest.fixture
def site():
    return Site()


def test_a_short_body_is_there_before_the_application_is_asked(site):
    status, headers, body = answered(site, piece(b"ab"), piece(b"c"), END)
    assert (status, headers, body) == (200, {"content-type": "text/plain"}, b"ok")
    assert (site.body, site.environ["CONTENT_LENGTH"]) == (b"abc", "3")


def test_a_chunked_body_has_a_length_once_it_is_whole(site):
    answered(site, piece(b"abc"), END, asked=scope(("transfer-encoding", "chunked")))
    assert site.environ["CONTENT_LENGTH"] == "3"
    assert "HTTP_TRANSFER_ENCODING" not in site.environ


@pytest.mark.parametrize(
    ("messages", "status", "code"),
    [
        ((piece(b"abc"),), 408, "body_late"),
        ((), 408, "body_late"),
        ((piece(b"abc"), GONE), 400, "body_incomplete"),
        ((GONE,), 400, "body_incomplete"),
    ],
)
def test_a_body_that_does_not_come_whole_reaches_no_application(site, messages, status, code):
    found, headers, body = answered(site, *messages)
    assert (found, json.loads(body)["code"]) == (status, code)
    assert headers["content-type"] == "application/problem+json"
    assert headers["connection"] == "close"
    assert site.environ is None


def test_a_trickle_is_too_slow_although_it_never_pauses():
    async def trickle():
        await asyncio.sleep(0.02)
        return piece(b"x")

    async def beginning():
        async with asyncio.timeout(20):
            await Body(trickle, Patience(pause_s=10, share_s=0.2)).beginning()

    with pytest.raises(LateBodyError):
        asyncio.run(beginning())


@pytest.mark.parametrize(("last", "failure"), [((), "LateBodyError"), ((GONE,), "BrokenBodyError")])
def test_a_long_body_is_read_while_it_comes_and_fails_where_it_stops(site, last, failure):
    parts = [piece(b"x" * SHORT_BYTES), piece(b"y" * 1000)]
    status, headers, _ = answered(site, *parts, *last)
    assert (status, headers["connection"]) == (200, "close")
    assert type(site.body).__name__ == failure


def test_a_long_body_arrives_to_the_last_byte(site):
    parts = [piece(bytes([n]) * 100_000) for n in range(30)]
    status, headers, _ = answered(site, *parts, END)
    assert status == 200
    assert "connection" not in headers
    assert site.body == b"".join(bytes([n]) * 100_000 for n in range(30))


def test_a_long_body_nobody_reads_is_taken_in_so_that_the_answer_is_seen():
    def refuse(_environ, start_response):
        start_response("401 Unauthorized", [])
        return []

    status, headers, _ = answered(refuse, *[piece(b"x" * 500_000)] * 3, END)
    assert (status, headers) == (401, {})


def test_a_long_body_gets_a_turn_or_is_told_to_come_again(site):
    assert answered(site, *[piece(b"x" * 500_000)] * 2, END, long_body_threads=1)[0] == 200

    async def full():
        gate = Gate(site, patience=QUICK, long_body_threads=1)
        await gate._long_bodies.acquire()
        sent = []

        async def send(message):
            sent.append(message)

        await gate(scope(), coming(piece(b"x" * 500_000)), send)
        return sent

    start, told = asyncio.run(full())
    assert (start["status"], json.loads(told["body"])["code"]) == (503, "busy")
    assert (b"retry-after", b"5") in start["headers"]


@pytest.mark.parametrize(
    "messages",
    [
        (piece(b"abc"),),
        (piece(b"abc"), GONE),
        (piece(b"abc"), END),
        (piece(b"x" * 500_000),),
        (piece(b"x" * 500_000), GONE),
        (piece(b"x" * 500_000), END),
    ],
)
def test_a_connection_is_let_go_once_it_is_answered(messages):
    """The server closes it only then; a cycle of objects would hold it until they are collected."""

    class Receive:
        def __init__(self):
            self.next = coming(*messages)

        async def __call__(self):
            return await self.next()

    kept = []

    def application(environ, start_response):
        kept.append(environ)
        with suppress(OSError):
            environ["wsgi.input"].read()
        start_response("200 OK", [])
        return []

    async def run():
        async def send(_message):
            pass

        receive = Receive()
        held.append(weakref.ref(receive))
        await Gate(application, patience=QUICK)(scope(), receive, send)

    held = []
    gc.collect()
    gc.disable()
    try:
        asyncio.run(run())
        assert held[0]() is None
    finally:
        gc.enable()


def test_the_request_is_told_as_wsgi_tells_it():
    asked = scope(
        ("host", "books.example"),
        ("cookie", "a=1"),
        ("cookie", "b=2"),
        ("accept", "text/html"),
        ("accept", "*/*"),
        ("content-type", "text/plain"),
        ("x_api_key", "forged"),
        ("x-name", "é"),
        raw_path=b"/a%C3%A9%20%FF",
    )
    environ = environ_of(asked)
    assert environ["PATH_INFO"].encode("latin-1") == b"/a\xc3\xa9 \xff"
    assert (environ["QUERY_STRING"], environ["REMOTE_ADDR"]) == ("x=%20", "10.0.0.1")
    assert (environ["SERVER_NAME"], environ["SERVER_PORT"]) == ("127.0.0.1", "8400")
    assert environ["HTTP_COOKIE"] == "a=1; b=2"
    assert environ["HTTP_ACCEPT"] == "text/html,*/*"
    assert (environ["CONTENT_TYPE"], environ["HTTP_X_NAME"]) == ("text/plain", "é")
    assert "HTTP_X_API_KEY" not in environ


def test_what_the_application_opened_is_closed(site):
    closed = []

    class Answer(list):
        def close(self):
            closed.append(1)

    def application(_environ, start_response):
        start_response("200 OK", [])
        return Answer([b"x"])

    assert answered(application, END)[2] == b"x"
    assert closed == [1]


def read_slowly(pause_s, piece_bytes):
    """How many pieces of a long answer a reader takes in who pauses after each."""
    taken = []

    async def send(message):
        await asyncio.sleep(pause_s)
        taken.append(len(message.get("body", b"")))

    def application(_environ, start_response):
        start_response("200 OK", [])
        return (b"x" * piece_bytes for _ in range(20))

    gate = Gate(application, patience=Patience(pause_s=0.05, share_s=0.2))
    asyncio.run(gate(scope(), coming(END), send))
    return sum(taken)


def test_an_answer_must_be_taken_in_at_a_pace_as_a_whole(monkeypatch):
    # Each piece is taken well within a share of the patience.
    monkeypatch.setattr(answers, "PACE_BYTES_PER_S", 3_000_000)
    assert read_slowly(0.03, 300_000) == 6_000_000
    with pytest.raises(SlowReaderError):
        read_slowly(0.12, 15_000)


def test_headers_that_are_too_long_reach_no_application(site):
    whole = scope(("x-a", "x" * (HEADERS_LIMIT - 3)))
    assert answered(site, END, asked=whole)[0] == 200
    site.environ = None
    status, _, body = answered(site, END, asked=scope(("x-a", "x" * (HEADERS_LIMIT - 2))))
    assert (status, json.loads(body)["code"]) == (431, "headers_too_large")
    assert site.environ is None
