"""Rows inside the answers of an API: {"data": {"items": [...]}} is a page, {"data": {...}} one row."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import msgspec

from ingest.formats.base import Item, Sample
from ingest.formats.torn import TORN, placed_events, values

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ROWS = msgspec.json.Decoder(list[msgspec.Raw])


def rows_seen(sample: Sample, *paths: str) -> Iterator[Mapping[str, object]]:
    """The sample's objects and the rows inside them, also of a page that was cut off.

    paths: where rows may stand, as 'data.items'.
    """
    for each in sample.objects:
        yield each
        for path in paths:
            yield from _rows_under(each, path)
    if sample.keys and not sample.objects:
        for path in paths:
            yield from _rows_of_torn(sample.text, path)


def row_items(items: Iterable[Item], *paths: str) -> Iterator[Item]:
    """Each item, or where it is a page the rows on it; a row's line is its position on the page."""
    for item in items:
        rows = _found(item, paths)
        if rows is None:
            yield item
        else:
            for position, row in enumerate(rows):
                yield replace(item, line=item.line + position, body=bytes(row))


def _found(item: Item, paths: tuple[str, ...]) -> list[msgspec.Raw] | None:
    """The rows of a page; None where the item is no page but a row of its own."""
    if item.refusal is not None or not isinstance(item.body, bytes):
        return None
    for path in paths:
        value = bytes(item.body)
        for name in path.split("."):
            value = bytes(_inside(value).get(name, b""))
        if value.startswith(b"["):
            return _listed(value)
        if value.startswith(b"{"):
            return [msgspec.Raw(value)]
    return None


def _inside(value: bytes) -> dict[str, msgspec.Raw]:
    try:
        return _OBJECT.decode(value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}


def _listed(value: bytes) -> list[msgspec.Raw] | None:
    try:
        return _ROWS.decode(value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _rows_under(page: Mapping[str, object], path: str) -> Iterator[Mapping[str, object]]:
    value: object = page
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
        if value is None:
            return
    for row in value if isinstance(value, list) else [value]:
        if isinstance(row, Mapping):
            yield row


def _rows_of_torn(text: str, path: str) -> Iterator[Mapping[str, object]]:
    """The rows that are whole, then the names that stand in any, whole or not."""
    try:
        for row in values(text.encode(), f"{path}.item"):
            if isinstance(row, Mapping):
                yield row
    except TORN:
        pass
    yield from _names_of_torn(text, path)


def _names_of_torn(text: str, path: str) -> Iterator[Mapping[str, object]]:
    """One mapping of the names that stand in rows, whole or not."""
    names: dict[str, object] = {}
    try:
        for place, event, value in placed_events(text.encode()):
            if event == "map_key" and place in {path, f"{path}.item"}:
                names[value] = None
    except TORN:
        pass
    if names:
        yield names
