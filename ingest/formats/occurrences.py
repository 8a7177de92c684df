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
    start = int.from_bytes(digest[:8])
    number = seen.times.pop(start, 0) + 1
    seen.times[start] = number
    if len(seen.times) > _REMEMBERED:
        del seen.times[next(iter(seen.times))]
    return fingerprint(digest.hex(), number)
