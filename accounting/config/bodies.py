"""A request's body on its way in: whoever sends too slowly or breaks off holds up nobody else."""

import asyncio
import io
import time
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

type Message = MutableMapping[str, Any]
type Receive = Callable[[], Awaitable[Message]]
type Send = Callable[[Message], Awaitable[None]]

#: A body up to this size is whole before a thread is taken for its request.
SHORT_BYTES = 256 * 1024
#: So much of a body that nobody read is still taken in, so that its sender gets to see the answer.
DISCARDED_BYTES = 16 * 1024 * 1024


class LateBodyError(TimeoutError):
    """The sender has not gone on with its body for too long, or sends too little at a time."""


class BrokenBodyError(ConnectionError):
    """The connection ended before the body did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long we wait for a body.

    pause_s: without a byte. share_s: for each SHORT_BYTES of it, whatever comes in between, and for
    the turn of a long one. Time in which we do not ask for more, since we are busy with what came,
    does not count.
    """

    pause_s: float = 10.0
    share_s: float = 30.0


class Body:
    """The body of one request, taken piece by piece."""

    def __init__(self, receive: Receive, patience: Patience) -> None:
        self.is_whole = False
        self._receive = receive
        self._patience = patience
        self._share_bytes = 0
        self._share_waited_s = 0.0
        self._failure: type[OSError] | None = None

    async def piece(self) -> bytes:
        """The next bytes, b'' at the end. Raises LateBodyError or BrokenBodyError, again each time."""
        if self._failure:
            raise self._failure("the body did not come whole")
        while not self.is_whole:
            try:
                if piece := await self._next():
                    return piece
            except (LateBodyError, BrokenBodyError) as error:
                # Not the error itself: its traceback would hold the connection in a cycle.
                self._failure = type(error)
                raise
        return b""

    async def beginning(self) -> bytes:
        """The whole of a short body, or at least SHORT_BYTES of a longer one; to be asked for first."""
        held = bytearray()
        while len(held) <= SHORT_BYTES and (piece := await self.piece()):
            held += piece
        return bytes(held)

    def let_go(self) -> None:
        """Ask for nothing any more: a connection may stay open while somebody could still read from it."""
        self._failure = self._failure or BrokenBodyError
        self._receive = _nothing

    async def discard(self) -> None:
        """Take in what is left as far as it is not too much and does not take too long."""
        left = DISCARDED_BYTES
        try:
            async with asyncio.timeout(self._patience.pause_s):
                while left > 0 and (piece := await self.piece()):
                    left -= len(piece)
        except OSError:  # of which TimeoutError is one
            return

    async def gone(self) -> None:
        """Return once the connection has ended, however long that takes; behind a whole body only."""
        while (await self._receive())["type"] == "http.request":
            pass

    async def _next(self) -> bytes:
        began = time.monotonic()
        patience = self._patience
        message: Message | None = None
        with suppress(TimeoutError):
            async with asyncio.timeout(
                min(patience.pause_s, patience.share_s - self._share_waited_s)
            ):
                message = await self._receive()
        if message is None:
            # Raised out here, for within it would hold the other error, and that this task: a cycle.
            raise LateBodyError("the body did not go on")
        if message["type"] != "http.request":
            raise BrokenBodyError("the connection ended before the body")
        piece: bytes = message.get("body", b"")
        self.is_whole = not message.get("more_body", False)
        self._share_waited_s += time.monotonic() - began
        self._share_bytes += len(piece)
        if self._share_bytes >= SHORT_BYTES:
            self._share_bytes, self._share_waited_s = 0, 0.0
        return piece


async def _nothing() -> Message:
    raise BrokenBodyError("nobody reads this body any more")


class BodyInThread(io.RawIOBase):
    """A long body as the file that a WSGI application reads in its thread."""

    def __init__(self, beginning: bytes, body: Body, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._held = memoryview(beginning)
        self._body = body
        self._loop = loop

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Some bytes, 0 at the end. Raises LateBodyError or BrokenBodyError."""
        if not self._held:
            coming = asyncio.run_coroutine_threadsafe(self._body.piece(), self._loop)
            self._held = memoryview(coming.result())
        size = min(len(buffer), len(self._held))
        buffer[:size] = self._held[:size]
        self._held = self._held[size:]
        return size
