"""Bytes on their way in: counted, digested, capped, and looked at before they are cut."""

from collections.abc import Iterator
from hashlib import sha256

from ingest.formats.base import SAMPLE_BYTES, UnreadableError
from ingest.formats.compression import GZIP_MAGIC, ZSTD_MAGIC, Readable, opened

#: A body that did not come whole, since its sender stopped or was too slow: nothing of it is kept.
LATE, INCOMPLETE = "body_late", "body_incomplete"
_MAGICS = {"gzip": GZIP_MAGIC, "zstd": ZSTD_MAGIC}


class Measured:
    """A stream whose bytes are counted and digested as they pass.

    Reading raises UnreadableError too_large beyond limit, body_incomplete when the stream breaks off
    or ends before expected bytes have come, and body_late when we waited for it too long.
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
            if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):
                reason = f"the body did not go on after {self.size:,} bytes"
                raise UnreadableError(LATE, reason) from error
            reason = f"the connection broke off after {self.size:,} bytes"
            raise UnreadableError(INCOMPLETE, reason) from error
        self.size += len(piece)
        self._sha256.update(piece)
        if self.size > self._limit:
            raise UnreadableError("too_large", f"more than {self._limit:,} bytes")
        if not piece and self._expected is not None and self.size < self._expected:
            reason = f"{self.size:,} of {self._expected:,} bytes came"
            raise UnreadableError(INCOMPLETE, reason)
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


def unpacked(stream: Readable, encoding: str, limit: int) -> bytes:
    """A whole body, unpacked. encoding: what Content-Encoding says, gzip, zstd or ''.

    Raises UnreadableError for a body that is not packed as it says, and what `opened` and the stream do.
    """
    source = Peeked(stream)
    magic = _MAGICS.get(encoding, b"")
    if source.head and not source.head.startswith(magic):
        reason = f"Content-Encoding says {encoding}, the body is none"
        raise UnreadableError(f"not_{encoding}", reason)
    return b"".join(_read_through(opened(source, limit=limit)))


def _read_through(stream: Readable) -> Iterator[bytes]:
    while piece := stream.read(64 * 1024):
        yield piece
