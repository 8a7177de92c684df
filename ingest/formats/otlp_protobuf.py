"""OTLP's protobuf encoding: what kind of export a binary file is, and its records as plain values."""

from collections.abc import Iterable, Iterator
from functools import partial

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ingest.formats.base import RejectedError
from ingest.formats.fields import Exact
from ingest.formats.otlp_records import Record, Telling
from ingest.formats.otlp_values import Attributes, Shared, shared
from ingest.formats.shown import shown

_FIRST, _SECOND = 0x0A, 0x12  # fields 1 and 2, each with a length before it
#: Fields of one kind of record alone, each with how it is written; a metric has none of them.
_OF_SPANS = frozenset([0x22, 0x30, 0x39, 0x41, 0x50, 0x60, 0x6A, 0x70, 0x7A])
_OF_LOGS = frozenset([0x09, 0x10, 0x32, 0x38, 0x45, 0x59])
_FIXED = {1: 8, 5: 4}


def kind_of(head: bytes) -> str:
    """'traces' or 'logs' where the bytes begin like such an export, else ''.

    Walks down to the first record that tells: resource group, scope group, record; the head may be
    cut off, groups may be empty and fields may stand in any order.
    """
    for record in _inside(head, (_FIRST, _SECOND, _SECOND)):
        for tag, _, _ in _fields(head, *record):
            if tag in _OF_SPANS:
                return "traces"
            if tag in _OF_LOGS:
                return "logs"
    return ""


def records(body: bytes, kind: str) -> Iterator[Telling]:
    """Each span or log record of an export; RejectedError where the bytes are torn.

    kind: 'traces', else it is taken for logs.
    """
    try:
        if kind == "traces":
            yield from _spans(ExportTraceServiceRequest.FromString(body))
        else:
            yield from _logs(ExportLogsServiceRequest.FromString(body))
    except DecodeError as error:
        raise RejectedError("not_protobuf", "no whole OTLP export in protobuf") from error


def _spans(export: ExportTraceServiceRequest) -> Iterator[Telling]:
    for group in export.resource_spans:
        resource = shared(partial(_attributes, group.resource.attributes))
        for scoped in group.scope_spans:
            for span in scoped.spans:
                yield partial(_span, span, resource)


def _span(span: Span, resource: Shared) -> Record:
    return Record(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        start=span.start_time_unix_nano,
        end=span.end_time_unix_nano,
        told=_attributes(span.attributes),
        resource=resource.attributes,
        failed=span.status.code == 2,
    )


def _logs(export: ExportLogsServiceRequest) -> Iterator[Telling]:
    for group in export.resource_logs:
        resource = shared(partial(_attributes, group.resource.attributes))
        for scoped in group.scope_logs:
            for log in scoped.log_records:
                yield partial(_log, log, resource, scoped.scope.name)


def _log(log: LogRecord, resource: Shared, scope: str) -> Record:
    return Record(
        is_log=True,
        event=log.event_name,
        body=log.body.string_value,
        scope=scope,
        written=log.SerializeToString(deterministic=True).hex(),
        trace_id=log.trace_id.hex(),
        span_id=log.span_id.hex(),
        end=log.time_unix_nano or log.observed_time_unix_nano,
        told=_attributes(log.attributes),
        resource=resource.attributes,
    )


def _attributes(pairs: Iterable[KeyValue]) -> Attributes:
    found: dict[str, object] = {}
    for pair in pairs:
        if pair.key in found:
            reason = f"the attribute {shown(pair.key, 80)} stands twice"
            raise RejectedError("duplicate_key", reason, field=shown(pair.key, 80))
        found[pair.key] = _plain(pair.value)
    return Attributes(found)


def _plain(value: AnyValue) -> object:
    match value.WhichOneof("value"):
        case "string_value" | "bool_value" | "int_value" as kind:
            return getattr(value, kind)
        case "double_value":
            # The shortest text that means this double, which is what JSON would have shown.
            return Exact(repr(value.double_value).encode())
        case "array_value":
            return [_plain(each) for each in value.array_value.values]
        case "kvlist_value":
            return dict(_attributes(value.kvlist_value.values).values)
        case _:
            return None


def _inside(head: bytes, path: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Where the messages on this path of fields lie, in order."""
    spans: Iterator[tuple[int, int]] = iter([(0, len(head))] if head[:1] == b"\n" else [])
    for wanted in path:
        spans = _one_down(head, spans, wanted)
    return spans


def _one_down(
    head: bytes, spans: Iterable[tuple[int, int]], wanted: int
) -> Iterator[tuple[int, int]]:
    for start, end in spans:
        for tag, first, last in _fields(head, start, end):
            if tag == wanted:
                yield first, last


def _fields(head: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Each field's tag and where its value lies; ends where the bytes do, or are no message."""
    position, end = start, min(end, len(head))
    while position < end:
        tag, position = _varint(head, position)
        kind, first = tag & 7, position
        if kind == 2:
            length, first = _varint(head, position)
            position = first + length
        elif kind == 0:
            _, position = _varint(head, position)
        else:
            position += _FIXED.get(kind, len(head))
        if first > end or kind not in {0, 1, 2, 5}:
            return
        yield tag, first, position


def _varint(head: bytes, position: int) -> tuple[int, int]:
    """The number that stands here and the position after it; far away where there is none."""
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(head):
            break
        byte = head[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    return 0, len(head) + 1
