"""Lines that are too long to be read, yet whose first bytes say that they report no usage.

Agents write tool results and images into their logs; such a line is no loss, so it is no rejection.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import msgspec

from ingest.formats.base import Item
from ingest.formats.torn import TORN, placed_events


def spared(
    items: Iterable[Item], names: set[str], reports_nothing: Callable[[Mapping[str, str]], bool]
) -> Iterator[Item]:
    """The items; a long line that reports nothing comes as an object of these names alone.

    names: dotted names of texts, which stand in the line's first bytes or are not known.
    """
    for item in items:
        if item.refusal is None or not isinstance(item.body, bytes):
            yield item
            continue
        told = _told(item.body, names)
        if reports_nothing(told):
            outer = {name: value for name, value in told.items() if "." not in name}
            yield replace(item, body=msgspec.json.encode(outer), refusal=None)
        else:
            yield item


def _told(head: bytes, names: set[str]) -> dict[str, str]:
    """The texts under these names in a JSON object, as far as its first bytes tell them."""
    found: dict[str, str] = {}
    with suppress(*TORN):
        for name, event, value in placed_events(head):
            if event == "string" and name in names:
                found.setdefault(name, value)
    return found
