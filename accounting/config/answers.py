"""An answer on its way out: a long one is passed on piece by piece, so that none is held whole."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass

from accounting.config.bodies import Body, Message, Patience, Send

#: An answer up to this size, or that says it is not longer than COLLECTED_BYTES, is collected.
HELD_BYTES = 256 * 1024
COLLECTED_BYTES = 8 * 1024 * 1024
#: A long answer must be taken in at this pace as a whole, whatever its single pieces take: a thread and a
#: connection to the database wait for its reader.
PACE_BYTES_PER_S = 32 * 1024
type Headers = list[tuple[str, str]]


class GoneError(ConnectionError):
    """Whoever asked has gone."""


class SlowReaderError(TimeoutError):
    """The answer is taken in too slowly. Left to the server, which breaks the connection off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer."""

    status: int
    headers: Headers
    body: bytes


async def give(answer: Answer, send: Send, *, is_last: bool) -> None:
    """Send a whole answer. is_last: the connection ends with it."""
    await send(_beginning(answer.status, answer.headers, is_last=is_last))
    await send({"type": "http.response.body", "body": answer.body})


class Outlet:
    """Where a long answer goes out. The thread that makes a long one is held up by a slow reader."""

    def __init__(self, send: Send, body: Body, patience: Patience) -> None:
        self._send = send
        self._body = body
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._watch: asyncio.Task[None] | None = None
        self._is_gone = False
        self._taken_bytes = 0
        self._waited_s = 0.0

    def open(self, status: int, headers: Headers) -> None:
        """Begin a long answer; in a thread."""
        self._wait(self._open(status, headers))

    def pass_on(self, piece: bytes) -> None:
        """Send a piece of it and wait until it is taken in; in a thread.

        Raises GoneError and SlowReaderError.
        """
        self._wait(self._sent(piece, more_body=True))
        self._taken_bytes += len(piece)
        if self._is_gone:
            raise GoneError("whoever asked has gone")

    def close(self) -> None:
        """End it as a whole one; in a thread. An answer that is not closed breaks off."""
        self._wait(self._sent(b"", more_body=False))

    def let_go(self) -> None:
        """Watch the connection no more, and hold it no more: it stays open while anybody does."""
        if self._watch is not None:
            self._watch.cancel()
        self._send = _nowhere

    async def _open(self, status: int, headers: Headers) -> None:
        if self._body.is_whole:
            self._watch = asyncio.create_task(self._watching())
        await self._send(_beginning(status, headers, is_last=not self._body.is_whole))

    async def _sent(self, body: bytes, *, more_body: bool) -> None:
        """Only here, in the loop: a server's own send need be no coroutine, and knows no other thread."""
        await self._send({"type": "http.response.body", "body": body, "more_body": more_body})

    async def _watching(self) -> None:
        await self._body.gone()
        self._is_gone = True

    def _wait(self, sending: Coroutine[None, None, None]) -> None:
        """Wait for as long as one piece may take, and no longer than all of them may by now."""
        share_s = self._patience.share_s
        left_s = share_s + self._taken_bytes / PACE_BYTES_PER_S - self._waited_s
        future = asyncio.run_coroutine_threadsafe(sending, self._loop)
        began = time.monotonic()
        try:
            future.result(min(share_s, max(0.0, left_s)))
        except TimeoutError:
            future.cancel()
            raise SlowReaderError("the answer is taken in too slowly") from None
        finally:
            self._waited_s += time.monotonic() - began


def _beginning(status: int, headers: Headers, *, is_last: bool) -> Message:
    if is_last:
        headers = [*headers, ("Connection", "close")]
    pairs = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]
    return {"type": "http.response.start", "status": status, "headers": pairs}


async def _nowhere(_message: Message) -> None:
    raise GoneError("the answer has ended")
