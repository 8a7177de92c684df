"""CloudEvents, one by one or in a batch: the data of each is a record of any format that stands alone."""

from base64 import b64decode
from binascii import Error as BadBase64Error
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import msgspec

from accounting.domain.errors import DomainError
from accounting.domain.usage import Identity, UsageRecord
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
from ingest.formats.fields import NOTHING, Decoder, Exact
from ingest.formats.fingerprints import fingerprint
from ingest.formats.moments import moment
from ingest.formats.occurrences import Seen
from ingest.formats.shown import shown
from ingest.formats.strict import examined

_NAMES = {"specversion", "id", "source", "type"}
_VERSION = "1.0"
_OWN = "native"


class Event(msgspec.Struct):
    """One event: source and id name it; time and data are optional, and so is all that is not read."""

    specversion: str
    id: str
    source: str
    type: str
    time: str | None = None
    data: Exact = NOTHING
    data_base64: str | None = None


_EVENTS = Decoder(Event, {"specversion": 1, "data_base64": 1})
_LISTS: Decoder[list[msgspec.Raw]] = Decoder(list[msgspec.Raw])
#: The formats whose records may be data; `carry` says which.
_CARRIED: list[Format] = []


def carry(formats: Iterable[Format]) -> None:
    """Let records of these formats be data, where one record can be read without those before it.

    Formats do not know each other, so the package's list of them is handed over.
    """
    _CARRIED[:] = [
        known
        for known in formats
        if Unit.JSON in (known.unit, *known.also)
        and (known.scope is Scope.RECORD or known.new_state is Seen)
    ]


def recognise(sample: Sample) -> str:
    """The names that every event must have."""
    keys = [*map(set, sample.objects), set(sample.keys)]
    return "has specversion, id, source and type" if any(each >= _NAMES for each in keys) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each record in an event's data; a skip of an event without any."""
    for item in items:
        if item.refusal is not None:
            yield item.refusal.at(item)
            continue
        try:
            yield from _event(_EVENTS.decoded(item), item, options)
        except RejectedError as error:
            yield error.at(item)


def _event(event: Event, item: Item, options: Options) -> Iterator[Outcome]:
    _refuse_nameless(event)
    records = _records(_data(event))
    if not records:
        yield Skipped(line=item.line)
    for number, body in enumerate(records):
        try:
            yield from _outcomes(event, number, replace(item, body=body), options)
        except RejectedError as error:
            yield error.at(item)
        except DomainError as error:
            yield RejectedError(error.code, str(error)).at(item)


def _refuse_nameless(event: Event) -> None:
    """Raise RejectedError for an event without what CloudEvents 1.0 asks of every one."""
    for name in ("id", "source", "type"):
        if not getattr(event, name):
            raise RejectedError("missing_field", f"{name} is empty", field=name)
    if event.specversion != _VERSION:
        told = shown(event.specversion)
        reason = f"specversion = {told}, expected {_VERSION}"
        raise RejectedError("unknown_value", reason, field="specversion", value=told)
    if event.data_base64 is not None and bytes(event.data) not in {b"", b"null"}:
        raise RejectedError("contradiction", "both data and data_base64", field="data_base64")


def _data(event: Event) -> bytes:
    """The data's JSON text; b'' where there is none."""
    if event.data_base64 is None:
        return b"" if bytes(event.data) == b"null" else bytes(event.data)
    try:
        return b64decode(event.data_base64, validate=True)
    except (BadBase64Error, ValueError) as error:
        raise RejectedError("not_json", "data_base64 is no base64", field="data_base64") from error


def _records(data: bytes) -> Sequence[bytes]:
    """The data, or each element of a list."""
    text = data.strip()
    if not text.startswith(b"["):
        return [text] if text else []
    return [bytes(each) for each in _LISTS.envelope(text)]


def _outcomes(event: Event, number: int, item: Item, options: Options) -> Iterator[Outcome]:
    body = item.body if isinstance(item.body, bytes) else b""
    known, values = _format_of(body)
    if known.name == _OWN and event.time and "started_at" not in values:
        body = b'{"started_at":' + msgspec.json.encode(event.time) + b"," + body[1:]
    time = _moment_or_none(event.time)
    inside = replace(options, assumed_time=time or options.assumed_time)
    for outcome in known.read([replace(item, body=body)], inside, known.new_state()):
        if isinstance(outcome, Counted):
            basis = ("cloudevents", event.source, event.id, number)
            records = tuple(_settled(record, basis, time) for record in outcome.records)
            yield replace(outcome, records=records)
        else:
            yield outcome


def _format_of(body: bytes) -> tuple[Format, dict[str, object]]:
    """The one format that claims a record, and the record's values; RejectedError where none does."""
    try:
        values = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        values = examined(body)
    if not isinstance(values, dict):
        raise RejectedError("not_an_object", "the data is no object and no list of them")
    sample = Sample(text=body.decode("utf-8", "replace"), objects=(values,))
    claims = [known for known in _CARRIED if known.recognise(sample)]
    claims = [known for known in claims if not known.is_last_resort] or claims
    if not claims:
        raise RejectedError("unknown_body", "the data is a record of no known format")
    if len(claims) > 1:
        names = ", ".join(known.name for known in claims)
        raise RejectedError("ambiguous_body", f"the data may be a record of {names}")
    return claims[0], values


def _moment_or_none(written: str | None) -> datetime | None:
    """When the event happened; a time that is none is like no time."""
    try:
        return moment(written, "time")
    except (RejectedError, DomainError):
        return None


def _settled(record: UsageRecord, basis: tuple[object, ...], time: datetime | None) -> UsageRecord:
    """The record with the event's name where it has no id, and its time where it has none."""
    if not _is_known(record.identity):
        record = replace(record, identity=replace(record.identity, fingerprint=fingerprint(*basis)))
    if time is not None and record.place.time_quality == "assumed":
        place = replace(record.place, started_at=time, time_quality="exact")
        record = replace(record, place=place, restamps=False)
    return record


def _is_known(identity: Identity) -> bool:
    is_span = bool(identity.trace_id and identity.span_id)
    return bool(identity.response_id or is_span or identity.gateway_request_id)


FORMAT = Format(
    name="cloudevents",
    title="CloudEvents",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="what its data's format says; without an id there, source and id of the event",
    where="POST /api/v1/events as application/cloudevents+json, as a batch, or with ce- headers",
    source="CloudEvents 1.0.2: JSON format and HTTP binding",
    recognise=recognise,
    read=read,
    is_envelope=True,
)
