"""Clients of a real server that send half a body and wait, and those who come meanwhile."""

import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAD = b"POST /stalled HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number = listener.getsockname()[1]
    serve = ["-m", "granian", "--interface", "asginl", "--http", "1", "--no-ws", "--no-log"]
    site = ["--port", str(number), "tests.api.patient:application"]
    server = subprocess.Popen([sys.executable, "-W", "ignore", *serve, *site], cwd=ROOT)
    for _ in range(400):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", number)) == 0:
                break
        time.sleep(0.05)
    yield number
    server.terminate()
    server.wait(timeout=20)


def sent(port, head, body=b""):
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(head + b"\r\n" + body)
    return connection


def told(connection):
    """Everything until the server closes the connection."""
    with closing(connection):
        found = b""
        while piece := connection.recv(65536):
            found += piece
    return found


def asked(port, path=b"/other"):
    head = b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    return told(sent(port, head))


LENGTH = HEAD + b"Content-Length: 1000000\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n"


def test_while_fifty_bodies_stall_everybody_else_is_answered(port):
    stalled = [sent(port, LENGTH, b"x") for _ in range(25)]
    stalled += [sent(port, CHUNKED, b"1\r\nx\r\n") for _ in range(25)]
    assert asked(port).endswith(b"GET /other: 0 bytes")
    answers = [told(connection) for connection in stalled]
    assert {answer.split(b"\r\n")[0] for answer in answers} == {b"HTTP/1.1 408 Request Timeout"}
    assert all(b'"code": "body_late"' in answer for answer in answers)


def test_while_two_hundred_heads_stall_everybody_else_is_answered(port):
    stalled = [socket.create_connection(("127.0.0.1", port), timeout=60) for _ in range(200)]
    for connection in stalled:
        connection.sendall(HEAD[:20])
    began = time.monotonic()
    assert asked(port).endswith(b"GET /other: 0 bytes")
    assert time.monotonic() - began < 1
    for connection in stalled:
        connection.close()


#: Heads that contradict themselves or are too long, with how they are answered.
HEADS = [
    (HEAD + b"Content-Length: 5\r\nContent-Length: 3\r\n", 400),
    (HEAD + b"Content-Length: -1\r\n", 400),
    (HEAD + b"Content-Length: +5\r\n", 400),
    (HEAD + b"X-A: " + b"x" * 40_000 + b"\r\nContent-Length: 5\r\n", 431),
    (HEAD + b"".join(b"X-%d: 1\r\n" % n for n in range(101)), 431),
    (HEAD.replace(b"stalled", b"x" * 70_000), 414),
    (b"NONSENSE\r\n", 400),
]


@pytest.mark.parametrize(("head", "status"), HEADS, ids=range(len(HEADS)))
def test_41_a_head_that_cannot_be_meant_is_refused(port, head, status):
    answer = told(sent(port, head + b"Connection: close\r\n", b"abcde"))
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"stalled: " not in answer


@pytest.mark.parametrize("is_first", [True, False])
def test_41_beside_chunks_a_length_means_nothing(port, is_first):
    # RFC 9112, 6.3: the chunks say how long the body is; a length that hid a request does not.
    both = [b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n"]
    head = HEAD + b"".join(both if is_first else both[::-1]) + b"Connection: close\r\n"
    answer = told(sent(port, head, b"5\r\nabcde\r\n0\r\n\r\n"))
    assert answer.endswith(b"POST /stalled: 5 bytes")


def test_while_long_bodies_stall_everybody_else_is_answered(port):
    stalled = [sent(port, LENGTH, b"x" * 300_000) for _ in range(4)]
    assert asked(port).endswith(b"GET /other: 0 bytes")
    for connection in stalled:
        assert told(connection).endswith(b"POST /stalled: LateBodyError")


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (LENGTH, b"x" * 10),
        (CHUNKED, b"5\r\nabcde\r\n"),
        (CHUNKED, b"5\r\nab"),
        (CHUNKED, b"zz\r\n"),
    ],
)
def test_a_body_that_breaks_off_is_refused(port, head, body):
    connection = sent(port, head, body)
    connection.shutdown(socket.SHUT_WR)
    answer = told(connection)
    assert answer.startswith(b"HTTP/1.1 400 Bad Request")
    assert b'"code": "body_incomplete"' in answer


def test_whole_bodies_are_taken_one_after_another_on_one_connection(port):
    connection = sent(port, CHUNKED, b"5\r\nabcde\r\n0\r\n\r\n")
    assert b"5 bytes" in connection.recv(65536)
    connection.sendall(
        HEAD + b"Content-Length: 700000\r\nConnection: close\r\n\r\n" + b"x" * 700_000
    )
    assert told(connection).endswith(b"POST /stalled: 700000 bytes")
