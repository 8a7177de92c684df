"""Clients that push as fast as they are answered: plain sockets, so that little of the CPU is theirs."""

import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count

HOST = "127.0.0.1"


class Client:
    """One connection that stays open."""

    def __init__(self, port: int, key: str, query: str = "") -> None:
        self._socket = socket.create_connection((HOST, port), timeout=60)
        self._head = (
            f"POST /api/v1/events{query} HTTP/1.1\r\nHost: {HOST}:{port}\r\nAuthorization: Bearer {key}\r\n"
            "Content-Type: application/x-ndjson\r\nContent-Length: "
        ).encode()

    def push(self, body: bytes) -> bytes:
        """Push a body; the answer's body. Raises RuntimeError unless it is 202."""
        self._socket.sendall(b"%s%d\r\n\r\n%s" % (self._head, len(body), body))
        told = b""
        while b"\r\n\r\n" not in told:
            told += self._received()
        head, _, answer = told.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        while len(answer) < length:
            answer += self._received()
        if b" 202 " not in head[:20]:
            raise RuntimeError(f"{head[:60]!r}: {answer[:300]!r}")
        return answer

    def close(self) -> None:
        self._socket.close()

    def _received(self) -> bytes:
        piece = self._socket.recv(64 * 1024)
        if not piece:
            raise ConnectionError("the server has closed the connection")
        return piece


def pushed(
    port: int, keys: Sequence[str], bodies: Iterator[bytes], *, seconds: float, query: str = ""
) -> float:
    """Pushes a second that were accepted by clients at once, one for each key."""
    ends_at = time.perf_counter() + seconds
    done = count()

    def push_all(key: str) -> None:
        client = Client(port, key, query)
        while time.perf_counter() < ends_at and (body := next(bodies, None)) is not None:
            client.push(body)
            next(done)
        client.close()

    started = time.perf_counter()
    with ThreadPoolExecutor(len(keys)) as pool:
        list(pool.map(push_all, keys))
    return next(done) / (time.perf_counter() - started)
