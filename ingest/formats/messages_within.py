"""Messages that a document holds as source records of their own."""

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from ingest.formats.base import Item


def each_of(item: Item, messages: Iterable[msgspec.Raw] | None) -> list[Item]:
    """An item for each message, its line counted from the document's own; without any the item."""
    return [
        replace(item, line=item.line + position, body=bytes(message))
        for position, message in enumerate(messages or ())
    ] or [item]
