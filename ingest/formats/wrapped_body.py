"""A provider's answer one level deep in a record of your own: {"model": …, "response": {…}}."""

from dataclasses import replace

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
    Unit,
)
from ingest.formats.body_reading import Reading
from ingest.formats.occurrences import Seen
from ingest.formats.provider_bodies import family_in, family_of
from ingest.formats.shown import shown
from ingest.formats.states import read_in_order
from ingest.formats.wrapped_records import at_own_time, fields_of, options_beside


def recognise(sample: Sample) -> str:
    """A record with an answer that a provider gives under one of its keys."""
    for each in sample.objects:
        for key, value in each.items():
            family = family_of(value) if isinstance(value, dict) else None
            if family is not None:
                return f"has a {family.name} under {shown(key)}"
    return ""


def _record(options: Options, seen: Seen, item: Item) -> Outcome:
    fields = fields_of(item)
    found = [(family, body) for body in fields.values() if (family := family_in(body))]
    if not found:
        return Skipped(line=item.line)
    if len(found) > 1:
        reason = f"{len(found)} answers in one record, expected one"
        raise RejectedError("ambiguous_body", reason)
    family, body = found[0]
    reading = Reading(source=FORMAT.name, options=options_beside(fields, options), seen=seen)
    told = family.read(replace(item, body=body), reading)
    return _alone(at_own_time(told, fields)) if isinstance(told, Counted) else told


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
    read=read_in_order(Seen, _record),
    new_state=Seen,
    is_last_resort=True,
)
