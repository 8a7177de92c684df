"""Bytes on their way in: counted, digested, capped, and looked at before they are cut."""

from hashlib import sha256

from ingest.formats.base import SAMPLE_BYTES, UnreadableError
from ingest.formats.compression import Readable


class Measured:
    """A stream whose bytes are counted and digested as they pass.

    Reading raises UnreadableError too_large beyond limit, and truncated_body when the stream breaks
    off or ends before expected bytes have come.
    """

    def __init__(self, stream: Readable, *, limit: int, expected: int | None = None) -> None:
        self._stream = stream
        self._limit = limit
        self._expected = expected
        self._sha256 = sha256()
        self.size = 0

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes that have passed."""
        return self._sha256.digest()

    def read(self, size: int, /) -> bytes:
        """At most size bytes; b'' at the end."""
        try:
            piece = self._stream.read(min(size, 64 * 1024))
        except OSError as error:
            reason = f"the connection broke off after {self.size:,} bytes"
            raise UnreadableError("truncated_body", reason) from error
        self.size += len(piece)
        self._sha256.update(piece)
        if self.size > self._limit:
            raise UnreadableError("too_large", f"more than {self._limit:,} bytes")
        if not piece and self._expected is not None and self.size < self._expected:
            reason = f"{self.size:,} of {self._expected:,} bytes came"
            raise UnreadableError("truncated_body", reason)
        return piece

    def drain(self) -> None:
        """Read what is left, so that size and digest are those of the whole stream."""
        while self.read(64 * 1024):
            pass


class Peeked:
    """A stream whose head can be looked at before it is read."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._waiting = bytearray()
        while len(self._waiting) < SAMPLE_BYTES and (
            piece := stream.read(SAMPLE_BYTES - len(self._waiting))
        ):
            self._waiting += piece
        self.head = bytes(self._waiting)

    def read(self, size: int, /) -> bytes:
        """At most size bytes, from the head on."""
        if not self._waiting:
            return self._stream.read(size)
        piece = bytes(self._waiting[:size])
        del self._waiting[:size]
        return piece
