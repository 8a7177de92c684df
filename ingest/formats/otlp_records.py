"""Spans and log records of OpenTelemetry as one plain value, from OTLP's JSON encoding."""

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import msgspec

from ingest.formats.base import RejectedError
from ingest.formats.fields import Decoder, text
from ingest.formats.halves import halves_marked, refuse_halves
from ingest.formats.otlp_repeats import refuse_repeats
from ingest.formats.otlp_values import (
    AnyValue,
    Attribute,
    Attributes,
    Export,
    Found,
    Instant,
    exported,
    of_pairs,
    plain,
)

_ERRORS = {2, "2", "STATUS_CODE_ERROR", "ERROR"}
_BASE64_ID = re.compile(r"[A-Za-z0-9+/]{22}==|[A-Za-z0-9+/]{11}=", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One span, or one log record, which has an event's name and no start; times as written.

    body: a log record's, where it is a text. scope: what produced it. written: the record itself, for
    one that nothing else identifies.
    """

    told: Attributes
    resource: Attributes
    is_log: bool = False
    event: str = ""
    body: str = ""
    scope: str = ""
    written: str = ""
    trace_id: str = ""
    span_id: str = ""
    start: Instant = None
    end: Instant = None
    failed: bool = False


#: Reads one record of an export; raises RejectedError, which costs no other.
Telling = Callable[[], Record]


class Status(msgspec.Struct):
    """How a span ended: 0 unset, 1 ok, 2 error; some exporters write the name."""

    code: int | str | None = None


class Written(msgspec.Struct, rename="camel"):
    """A span or a log record as OTLP's JSON writes it, or with snake case names."""

    trace_id: str | None = None
    span_id: str | None = None
    start_time_unix_nano: Instant = None
    end_time_unix_nano: Instant = None
    time_unix_nano: Instant = None
    observed_time_unix_nano: Instant = None
    event_name: str | None = None
    body: AnyValue | None = None
    attributes: list[Attribute] | None = None
    status: Status | None = None


class Snake(msgspec.Struct):
    """The same names in snake case."""

    trace_id: str | None = None
    span_id: str | None = None
    start_time_unix_nano: Instant = None
    end_time_unix_nano: Instant = None
    time_unix_nano: Instant = None
    observed_time_unix_nano: Instant = None
    event_name: str | None = None


_EXPORTS = Decoder(Export)
_WRITTEN = Decoder(Written, {"attributes": 1, "traceId": 1})
_SNAKE = Decoder(Snake, {"trace_id": 1})


def kinds_in(body: bytes) -> set[str]:
    """'traces' and 'logs', as far as an export's JSON names them; RejectedError where it is none."""
    export = _export(body)
    named = {
        "traces": (export.spans, export.spans_snake),
        "logs": (export.logs, export.logs_snake),
    }
    return {kind for kind, groups in named.items() if any(each is not None for each in groups)}


def found_in(body: bytes) -> Iterator[Telling]:
    """Each span and log record of an export's JSON."""
    return (partial(record, found) for found in exported(_export(body)))


def record(found: Found) -> Record:
    """One span or log record."""
    refuse_halves(found.body)
    written = _WRITTEN.of(found.body)
    told: Written | Snake = _SNAKE.of(found.body) if b'_unix_nano"' in found.body else written
    logged = told.time_unix_nano or told.observed_time_unix_nano
    said = plain(written.body)
    return Record(
        told=of_pairs(written.attributes),
        resource=found.resource.attributes,
        body=said if isinstance(said, str) else "",
        scope=found.scope.name or "",
        written=found.body.decode(),
        event=text(told.event_name, "eventName"),
        trace_id=hexadecimal(told.trace_id, "traceId"),
        span_id=hexadecimal(told.span_id, "spanId"),
        is_log=logged is not None,
        start=told.start_time_unix_nano,
        end=told.end_time_unix_nano or logged,
        failed=written.status is not None and written.status.code in _ERRORS,
    )


def _export(body: bytes) -> Export:
    """The export, its records still unread: half a character costs only the record that holds it."""
    try:
        export = _EXPORTS.envelope(body)
    except RejectedError:
        marked = halves_marked(body)
        if marked is None:
            raise
        export = _EXPORTS.envelope(marked)
    refuse_repeats(body, export)
    return export


def hexadecimal(written: str | None, field: str) -> str:
    """An id in lower hexadecimal: some exporters write capitals, 0x, or protobuf's base64."""
    found = text(written, field)
    if _BASE64_ID.fullmatch(found):
        return b64decode(found).hex()
    return found.lower().removeprefix("0x")
