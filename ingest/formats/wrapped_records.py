"""What a record of somebody's own says beside the provider's answer in it: vendor, model, time."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from accounting.domain.errors import DomainError
from accounting.domain.naming import PROVIDERS
from ingest.formats.base import Counted, Item, Options, RejectedError
from ingest.formats.fields import Decoder, text
from ingest.formats.moments import moment

_VENDORS = ("provider", "vendor")
_TIMES = ("timestamp", "ts", "time", "created_at")

_VALUES: Decoder[object] = Decoder(object)
_RECORDS: Decoder[dict[str, msgspec.Raw]] = Decoder(dict[str, msgspec.Raw])


def fields_of(item: Item) -> dict[str, bytes]:
    """The record's own fields, each as its JSON text."""
    return {key: bytes(value) for key, value in _RECORDS.decoded(item).items()}


def options_beside(fields: Mapping[str, bytes], options: Options) -> Options:
    """The import's options with the provider and the model that the record itself names."""
    return replace(
        options,
        provider=_vendor(fields) or options.provider,
        model=_name(fields, "model") or options.model,
    )


def at_own_time(told: Counted, fields: Mapping[str, bytes]) -> Counted:
    """The answer with the record's own time, where it has none itself."""
    written = next((fields[key] for key in _TIMES if key in fields), b"null")
    if told.records[0].place.time_quality != "assumed":
        return told
    try:
        value = _VALUES.of(written)
        at = moment(value if isinstance(value, int | float | str) else None, "timestamp")
    except (RejectedError, DomainError):
        return told
    if at is None:
        return told
    records = (
        replace(each, place=replace(each.place, started_at=at, time_quality="exact"))
        for each in told.records
    )
    return replace(told, records=tuple(records))


def _vendor(fields: Mapping[str, bytes]) -> str:
    """The provider that the record names, where it is a known one."""
    names = (_name(fields, key).lower() for key in _VENDORS)
    return next((PROVIDERS[name] for name in names if name in PROVIDERS), "")


def _name(fields: Mapping[str, bytes], key: str) -> str:
    found = _VALUES.of(fields.get(key, b"null"))
    return text(found, key) if isinstance(found, str) else ""
