"""Numbers records that have no id and are equal to the last byte, so that each still counts."""

import msgspec

from ingest.formats.base import State
from ingest.formats.fingerprints import fingerprint

#: Equal records stand close together: they carry the same time. The oldest are forgotten.
_REMEMBERED = 20_000


class Seen(State):
    """How often each record stood in this file so far, by the first 8 bytes of its digest.

    Two records that share those bytes only get larger numbers, the same ones each time.
    """

    times: dict[int, int] = msgspec.field(default_factory=dict)


def numbered(seen: Seen, *parts: object) -> bytes:
    """A fingerprint of the record and of which of its equals in the file it is."""
    digest = fingerprint(*parts)
    return fingerprint(digest.hex(), occurrence(seen, digest, remembered=_REMEMBERED))


def occurrence(seen: Seen, digest: bytes, *, remembered: int | None = None) -> int:
    """Which of its equals a record of this digest is, counted from 1.

    remembered: after so many other records its equals are forgotten; None: never.
    """
    start = int.from_bytes(digest[:8])
    number = seen.times.pop(start, 0) + 1
    seen.times[start] = number
    if remembered is not None and len(seen.times) > remembered:
        del seen.times[next(iter(seen.times))]
    return number
