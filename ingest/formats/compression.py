"""Compressed logs read as plain bytes: one layer of gzip or zstd, in small steps, with a cap."""

import zlib
from typing import Protocol

import zstandard

from ingest.formats.base import UnreadableError

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
#: A file that unpacks to more is refused; real logs shrink 4 to 20 times, bombs 1,000 times.
DECOMPRESSED_LIMIT = 64 * 1024**3
_GZIP_STEP = 64 * 1024
#: A zstd block of 4 bytes may stand for 128 KiB, so that 1 KiB in is at most 32 MiB out.
_ZSTD_STEP = 1024


class Readable(Protocol):
    """What the cutters read from: any binary stream, seekable or not."""

    def read(self, size: int, /) -> bytes:
        """At most size bytes; b'' at the end."""
        ...


def opened(stream: Readable, *, limit: int = DECOMPRESSED_LIMIT) -> Readable:
    """The stream's plain bytes, unpacked while they are read where it begins like gzip or zstd.

    Reading raises UnreadableError: truncated_gzip, truncated_zstd, bad_gzip, bad_zstd,
    trailing_garbage, nested_compression, decompressed_too_large.
    """
    head = b""
    while len(head) < len(ZSTD_MAGIC) and (piece := stream.read(len(ZSTD_MAGIC) - len(head))):
        head += piece
    source = _Pushed(head, stream)
    if head.startswith(GZIP_MAGIC):
        return _Unpacked(source, _GzipMember, limit)
    if head.startswith(ZSTD_MAGIC):
        return _Unpacked(source, _ZstdFrame, limit)
    return source


class _Pushed:
    """A stream with bytes put back in front of it."""

    def __init__(self, head: bytes, stream: Readable) -> None:
        self._head = head
        self._stream = stream

    def read(self, size: int, /) -> bytes:
        piece, self._head = self._head[:size], self._head[size:]
        return piece + self._stream.read(size - len(piece)) if len(piece) < size else piece


class _GzipMember:
    """One member of a gzip file; concatenated members are one file."""

    kind = "gzip"
    magic = GZIP_MAGIC
    step = _GZIP_STEP
    error: type[Exception] = zlib.error

    def __init__(self) -> None:
        self._packer = zlib.decompressobj(31)

    def unpacked(self, packed: bytes) -> bytes:
        """At most 1 MiB; what was not looked at yet stays in `left`."""
        return self._packer.decompress(packed, 1024 * 1024)

    @property
    def left(self) -> bytes:
        return self._packer.unconsumed_tail

    @property
    def ended(self) -> bool:
        return self._packer.eof

    @property
    def after(self) -> bytes:
        return self._packer.unused_data


class _ZstdFrame:
    """One frame of a zstd file."""

    kind = "zstd"
    magic = ZSTD_MAGIC
    step = _ZSTD_STEP
    error: type[Exception] = zstandard.ZstdError
    left = b""

    def __init__(self) -> None:
        self._packer = zstandard.ZstdDecompressor().decompressobj()

    def unpacked(self, packed: bytes) -> bytes:
        return self._packer.decompress(packed)

    @property
    def ended(self) -> bool:
        return self._packer.eof

    @property
    def after(self) -> bytes:
        return self._packer.unused_data


class _Unpacked:
    """The unpacked bytes of one layer of compression."""

    def __init__(self, source: Readable, part: type[_GzipMember | _ZstdFrame], limit: int) -> None:
        self._source = source
        self._new_part = part
        self._part: _GzipMember | _ZstdFrame | None = part()
        self._limit = limit
        self._packed = b""
        self._taken = 0
        self._given = 0
        self._ready = bytearray()

    def read(self, size: int, /) -> bytes:
        while len(self._ready) < size and self._more():
            pass
        piece = bytes(self._ready[:size])
        del self._ready[:size]
        return piece

    def _more(self) -> bool:
        """Unpacks one step; False when the source has ended rightly."""
        kind = self._new_part.kind
        if not self._packed:
            self._packed = self._source.read(self._new_part.step)
            self._taken += len(self._packed)
        if not self._packed:
            if self._part is not None:
                reason = f"the {kind} data stops at byte {self._taken}, before its end"
                raise UnreadableError(f"truncated_{kind}", reason)
            return False
        if self._part is None and not self._next_part():
            return True
        part = self._part or self._new_part()
        try:
            self._keep(part.unpacked(self._packed))
        except part.error as error:
            reason = f"the {kind} data is damaged near byte {self._taken}: {error}"
            raise UnreadableError(f"bad_{kind}", reason) from error
        self._packed = part.left
        if part.ended:
            self._packed, self._part = part.after, None
        return True

    def _next_part(self) -> bool:
        """Starts another member; False while it is only known to be padding of zeros."""
        self._packed = self._packed.lstrip(b"\0")
        magic = self._new_part.magic
        while self._packed and len(self._packed) < len(magic):
            piece = self._source.read(self._new_part.step)
            if not piece:
                break
            self._packed += piece
            self._taken += len(piece)
        if not self._packed:
            return False
        if not self._packed.startswith(magic):
            reason = f"bytes that are no {self._new_part.kind} follow its end"
            raise UnreadableError("trailing_garbage", reason)
        self._part = self._new_part()
        return True

    def _keep(self, plain: bytes) -> None:
        self._ready += plain
        if self._given < len(ZSTD_MAGIC) and self._ready.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
            raise UnreadableError(
                "nested_compression", "a compressed file inside a compressed file"
            )
        self._given += len(plain)
        if self._given > self._limit:
            reason = f"it unpacks to more than {self._limit:,} bytes"
            raise UnreadableError("decompressed_too_large", reason)
