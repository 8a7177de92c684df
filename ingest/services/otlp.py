"""An OTLP export before it is kept: whether it is one, whether it tells of usage, and what is refused."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import msgspec
from google.protobuf.json_format import Parse, ParseError
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ingest.formats import by_name
from ingest.formats.base import Counted, Rejected, RejectedError, UnreadableError
from ingest.formats.cutting import Layout, items_of
from ingest.formats.detection import Detection
from ingest.formats.nesting import is_too_deep, too_deep
from ingest.formats.otlp_protobuf import kind_of
from ingest.formats.otlp_records import kinds_in
from ingest.services.looking import cut_as, is_empty
from ingest.services.outcomes import admitted
from ingest.services.receive import Looked, Sender

_EXPORTS: dict[str, Any] = {
    "traces": ExportTraceServiceRequest,
    "logs": ExportLogsServiceRequest,
}
_RECORDS: dict[str, Callable[[Any], bool]] = {
    "traces": lambda export: any(s.spans for g in export.resource_spans for s in g.scope_spans),
    "logs": lambda export: any(s.log_records for g in export.resource_logs for s in g.scope_logs),
}


class Signal(StrEnum):
    """What kind of records a door takes."""

    TRACES = "traces"
    LOGS = "logs"

    @property
    def format_name(self) -> str:
        """The format that reads them."""
        return f"otlp_{self}"


@dataclass(slots=True, kw_only=True)
class ExportLook:
    """A look for one export request.

    refused: the records of the export that was looked at which will be rejected when it is read.
    """

    signal: Signal
    is_json: bool
    sender: Sender
    refused: tuple[Rejected, ...] = ()

    def __call__(self, body: bytes) -> Looked | None:
        """The export; None where none of its records tells of usage. Raises UnreadableError."""
        holds_records = _json_holds if self.is_json else _protobuf_holds
        if not body or not holds_records(self.signal, body):
            return None
        known = by_name(self.signal.format_name)
        found = Detection(
            format=known, layout=Layout.DOCUMENT, confidence=1.0, reason=f"pushed as {self.signal}"
        )
        looked = cut_as(found, body)
        options = self.sender.options()
        items = [item for piece in looked.pieces for item in items_of(piece, found.layout)]
        outcomes = [
            admitted(each, now=options.assumed_time, is_push=True)
            for each in known.read(items, options, known.new_state())
        ]
        self.refused = tuple(each for each in outcomes if isinstance(each, Rejected))
        return looked if self.refused or any(isinstance(e, Counted) for e in outcomes) else None


def points_in(body: bytes, *, is_json: bool) -> int:
    """How many data points an export of metrics holds; UnreadableError where it is none."""
    if is_json and is_too_deep(body):
        raise UnreadableError("too_deep", too_deep().reason)
    try:
        if is_json:
            export = Parse(body or b"{}", ExportMetricsServiceRequest(), ignore_unknown_fields=True)
        else:
            export = ExportMetricsServiceRequest.FromString(body)
    except (DecodeError, ParseError, UnicodeDecodeError, RecursionError) as error:
        code = _json_fault(body) if is_json else "not_protobuf"
        raise UnreadableError(code, "no export of metrics") from error
    metrics = (m for g in export.resource_metrics for s in g.scope_metrics for m in s.metrics)
    told = (getattr(metric, kind) for metric in metrics if (kind := metric.WhichOneof("data")))
    return sum(len(each.data_points) for each in told)


def _json_fault(body: bytes) -> str:
    """What a body that cannot be read as an export in JSON is: no JSON, or other JSON."""
    try:
        msgspec.json.decode(body)
    except msgspec.DecodeError:
        return "not_json"
    return "not_this_format"


def _protobuf_holds(signal: Signal, body: bytes) -> bool:
    """Whether there are records in an export; UnreadableError where it is none."""
    try:
        export = _EXPORTS[signal].FromString(body)
    except DecodeError as error:
        raise UnreadableError("not_protobuf", f"no export of {signal} in protobuf") from error
    kind = kind_of(body)
    if kind == signal:
        return True
    if kind:
        raise _other_door(kind)
    if not export.ListFields():
        raise UnreadableError("not_protobuf", f"nothing in it is an export of {signal}")
    if _RECORDS[signal](export):
        raise UnreadableError("not_protobuf", f"its {signal} have no times")
    return False


def _json_holds(signal: Signal, body: bytes) -> bool:
    """The same of an export in JSON."""
    if is_empty(body):
        return False
    if is_too_deep(body):
        raise UnreadableError("too_deep", too_deep().reason)
    try:
        kinds = kinds_in(body.removeprefix(b"\xef\xbb\xbf"))
    except RejectedError as error:
        raise UnreadableError(error.code, error.reason) from error
    if not kinds:
        reason = f"it has no {'resourceSpans' if signal is Signal.TRACES else 'resourceLogs'}"
        raise UnreadableError("not_this_format", reason)
    if signal not in kinds:
        raise _other_door(kinds.pop())
    return True


def _other_door(kind: str) -> UnreadableError:
    return UnreadableError("not_this_format", f"an export of {kind}; send it to /otlp/v1/{kind}")
