"""Names that stand twice around the records of an OTLP export: nobody knows which list was meant."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from ingest.formats.base import RejectedError
from ingest.formats.otlp_values import Export, ResourceGroup, ScopeGroup
from ingest.formats.shown import shown

#: Of each part around the records its attributes, with the names that stand in JSON.
_FIELDS: dict[type[msgspec.Struct], list[tuple[str, str]]] = {
    kind: [(one.name, one.encode_name) for one in msgspec.structs.fields(kind)]
    for kind in (Export, ResourceGroup, ScopeGroup)
}
_NAMES = frozenset(written for fields in _FIELDS.values() for _, written in fields)


def refuse_repeats(body: bytes, export: Export) -> None:
    """Raise RejectedError (duplicate_key) where one object around the records names a part twice.

    The reader keeps the last one alone: records of the first would be lost without a word. Names
    inside a record are looked at when it is read.
    """
    once = Counter(_named(export))
    if any(body.count(b'"%s"' % name.encode()) > once[name] for name in _NAMES):
        # What is wrong with texts and numbers is for each record to say; the names are ASCII.
        text = body.decode("latin-1")
        json.loads(text, object_pairs_hook=_distinct, parse_int=str, parse_float=str, strict=False)


def _named(part: msgspec.Struct) -> Iterator[str]:
    """The names that stand around the records, each as often as a whole reading tells."""
    for name, written in _FIELDS[type(part)]:
        value = getattr(part, name)
        if value is not None:
            yield written
        if isinstance(value, list):
            for inner in value:
                if not isinstance(inner, msgspec.Struct):
                    break  # from here on they are records
                yield from _named(inner)


def _distinct(pairs: list[tuple[str, Any]]) -> None:
    for name, times in Counter(name for name, _ in pairs if name in _NAMES).items():
        if times > 1:
            reason = f"the key {shown(name, 80)} stands twice in one object"
            raise RejectedError("duplicate_key", reason, field=name)
