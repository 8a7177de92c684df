"""Compressed files read like plain ones, and damaged ones are refused as a whole."""

import gzip
import io

import pytest
import zstandard

from ingest.formats.compression import opened
from ingest.formats.cutting import UnreadableError
from tests.formats.reading import Books, detected, read_sample, sample, told, totals

LINE = b'{"a":1}\n'
GZ = gzip.compress(LINE, mtime=0) * 2
ZST = zstandard.compress(LINE) + zstandard.compress(LINE)


def unpacked(packed: bytes, limit: int = 1 << 30) -> bytes:
    """Everything the stream gives, read in small steps at first."""
    stream = opened(io.BytesIO(packed), limit=limit)
    found = [stream.read(5), stream.read(1)]
    while found[-1]:
        found.append(stream.read(100_000))
    return b"".join(found)


@pytest.mark.parametrize("packed", [LINE * 2, GZ, GZ + b"\0" * 512, ZST, b"", b"{", b"\x1f"])
def test_plain_gzip_and_zstd_read_alike(packed):
    expected = LINE * 2 if len(packed) > 1 else packed
    assert unpacked(packed) == expected


@pytest.mark.parametrize(
    ("packed", "code"),
    [
        (GZ[:-1], "truncated_gzip"),
        (GZ[:5], "truncated_gzip"),
        (GZ + b"more", "trailing_garbage"),
        (GZ + b"\x1f", "trailing_garbage"),
        (GZ[:12] + b"\xff\xff\xff" + GZ[15:], "bad_gzip"),
        (gzip.compress(GZ, mtime=0), "nested_compression"),
        (zstandard.compress(GZ), "nested_compression"),
        (ZST[:-1], "truncated_zstd"),
        (ZST + b"more", "trailing_garbage"),
        (gzip.compress(b"\0" * (20 << 20), mtime=0), "decompressed_too_large"),
        (zstandard.compress(b"\0" * (20 << 20)), "decompressed_too_large"),
    ],
)
def test_a_damaged_file_is_refused(packed, code):
    with pytest.raises(UnreadableError) as error:
        unpacked(packed, limit=4 << 20) if code.endswith("large") else unpacked(packed)
    assert error.value.code == code


def test_a_compressed_log_counts_like_a_plain_one():
    packed = gzip.compress(sample("litellm_payload/calls.jsonl"))
    assert detected(packed).format.name == "litellm_payload"
    expected = totals(Books.of(read_sample("litellm_payload/calls.jsonl")))
    assert totals(Books.of(told("litellm_payload", packed))) == expected
