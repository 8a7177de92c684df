"""OTLP's protobuf encoding: what kind of export a binary file is, and its records as plain values."""

from collections.abc import Iterable, Iterator

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ingest.formats.base import RejectedError
from ingest.formats.fields import Exact
from ingest.formats.otlp_records import Record
from ingest.formats.otlp_values import Attributes
from ingest.formats.shown import shown

_FIRST, _SECOND = 0x0A, 0x12  # fields 1 and 2, each with a length before it
#: A span begins with its 16 bytes of trace id and 8 bytes of span id, a log record with its time.
_SPAN, _SPAN_ID, _LOG = b"\x0a\x10", b"\x12\x08", (b"\x09", b"\x10", b"\x1a", b"\x2a", b"\x59")


def kind_of(head: bytes) -> str:
    """'traces' or 'logs' where the bytes begin like such an export, else ''.

    Walks down to the first record: resource group, scope group, record; the head may be cut off.
    """
    position = _inside(head, 0, _FIRST)
    position = _inside(head, _past(head, position, _FIRST), _SECOND)
    position = _inside(head, _past(head, position, _FIRST), _SECOND)
    start = head[position : position + 29] if position > 0 else b""
    if start[:2] == _SPAN and start[18:20] == _SPAN_ID:
        return "traces"
    return "logs" if start.startswith(_LOG) else ""


def records(body: bytes) -> Iterator[Record]:
    """Each span or log record of an export; RejectedError where the bytes are torn."""
    try:
        if kind_of(body) == "traces":
            yield from _spans(ExportTraceServiceRequest.FromString(body))
        else:
            yield from _logs(ExportLogsServiceRequest.FromString(body))
    except DecodeError as error:
        raise RejectedError("not_protobuf", "no whole OTLP export in protobuf") from error


def _spans(export: ExportTraceServiceRequest) -> Iterator[Record]:
    for group in export.resource_spans:
        resource = _attributes(group.resource.attributes)
        for scoped in group.scope_spans:
            for span in scoped.spans:
                yield Record(
                    trace_id=span.trace_id.hex(),
                    span_id=span.span_id.hex(),
                    start=span.start_time_unix_nano,
                    end=span.end_time_unix_nano,
                    told=_attributes(span.attributes),
                    resource=resource,
                    failed=span.status.code == 2,
                )


def _logs(export: ExportLogsServiceRequest) -> Iterator[Record]:
    for group in export.resource_logs:
        resource = _attributes(group.resource.attributes)
        for scoped in group.scope_logs:
            for log in scoped.log_records:
                yield Record(
                    is_log=True,
                    event=log.event_name,
                    trace_id=log.trace_id.hex(),
                    span_id=log.span_id.hex(),
                    end=log.time_unix_nano or log.observed_time_unix_nano,
                    told=_attributes(log.attributes),
                    resource=resource,
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


def _length(head: bytes, position: int) -> tuple[int, int]:
    """The length that stands here and the position after it."""
    value = shift = 0
    while position < len(head) and shift < 35:
        byte = head[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    return 0, -1


def _inside(head: bytes, position: int, tag: int) -> int:
    """The position inside the field that begins here; -1 where another one does."""
    if not 0 <= position < len(head) or head[position] != tag:
        return -1
    return _length(head, position + 1)[1]


def _past(head: bytes, position: int, tag: int) -> int:
    """The position after the fields of this tag that begin here."""
    while 0 <= position < len(head) and head[position] == tag:
        length, position = _length(head, position + 1)
        position = position + length if position > 0 else -1
    return position
