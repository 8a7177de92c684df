"""A provider's answer one level deep in a record of your own: {"model": …, "response": {…}}."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

import msgspec

from accounting.domain.errors import DomainError
from accounting.domain.naming import PROVIDERS
from ingest.formats.base import (
    Convention,
    Counted,
    Format,
    Item,
    Options,
    Outcome,
    RejectedError,
    Sample,
    Scope,
    Skipped,
    State,
    Unit,
)
from ingest.formats.body_reading import Family, Reading, reading_of
from ingest.formats.fields import Decoder, outcome_of, text
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen
from ingest.formats.provider_bodies import family_in, family_of
from ingest.formats.shown import shown

_VENDORS = ("provider", "vendor")
_TIMES = ("timestamp", "ts", "time", "created_at")

_VALUES: Decoder[object] = Decoder(object)
_RECORDS: Decoder[dict[str, msgspec.Raw]] = Decoder(dict[str, msgspec.Raw])


def recognise(sample: Sample) -> str:
    """A record with an answer that a provider gives under one of its keys."""
    for each in sample.objects:
        for key, value in each.items():
            family = family_of(value) if isinstance(value, dict) else None
            if family is not None:
                return f"has a {family.name} under {shown(key)}"
    return ""


def read(items: Iterable[Item], options: Options, state: State) -> Iterator[Outcome]:
    """One outcome for each record."""
    reading = reading_of(FORMAT.name, options, state)
    for item in items:
        yield outcome_of(item, partial(_record, reading))


def _record(reading: Reading, item: Item) -> Outcome:
    fields = {key: bytes(value) for key, value in _RECORDS.decoded(item).items()}
    found = list(_bodies(fields))
    if not found:
        return Skipped(line=item.line)
    if len(found) > 1:
        reason = f"{len(found)} answers in one record, expected one"
        raise RejectedError("ambiguous_body", reason)
    family, body = found[0]
    options = replace(
        reading.options,
        provider=_vendor(fields) or reading.options.provider,
        model=_name(fields, "model") or reading.options.model,
    )
    told = family.read(replace(item, body=body), replace(reading, options=options))
    if not isinstance(told, Counted):
        return told
    return _alone(_at_time(told, fields))


def _bodies(fields: Mapping[str, bytes]) -> Iterator[tuple[Family, bytes]]:
    for value in fields.values():
        family = family_in(value)
        if family is not None:
            yield family, value


def _vendor(fields: Mapping[str, bytes]) -> str:
    """The provider that the record names beside the answer, where it is a known one."""
    names = (_name(fields, key).lower() for key in _VENDORS)
    return next((PROVIDERS[name] for name in names if name in PROVIDERS), "")


def _name(fields: Mapping[str, bytes], key: str) -> str:
    found = _VALUES.of(fields.get(key, b"null"))
    return text(found, key) if isinstance(found, str) else ""


def _at_time(told: Counted, fields: Mapping[str, bytes]) -> Counted:
    """With the record's own time, where the answer has none."""
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


def _alone(told: Counted) -> Counted:
    """Without the calls billed beside the answer, where the answer has no id to put them to."""
    main = told.records[0]
    if main.identity.response_id or len(told.records) == 1:
        return told
    return replace(told, records=(main,), warnings=(*told.warnings, "parts_left_out"))


FORMAT = Format(
    name="wrapped_body",
    title="Provider answers in records of your own",
    unit=Unit.JSON,
    scope=Scope.FILE,
    convention=Convention.INCLUSIVE,
    key="id of the answer; without it the answer's text and which of its equals in the file it is",
    where="your own program's log: JSON records with a provider's whole answer under one key, and"
    " beside it provider (or vendor) and timestamp where you have them",
    source="the providers' own formats",
    recognise=recognise,
    read=read,
    new_state=Seen,
    is_last_resort=True,
)
