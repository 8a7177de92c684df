"""What exporters of OpenTelemetry are answered: OTLP's own messages, in the encoding they sent."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, JsonResponse
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

JSON, PROTOBUF = "application/json", "application/x-protobuf"
#: Each signal's response, and its field for the number of records that were refused.
_RESPONSES: Mapping[str, tuple[Any, str]] = {
    "traces": (ExportTraceServiceResponse, "rejected_spans"),
    "logs": (ExportLogsServiceResponse, "rejected_log_records"),
    "metrics": (ExportMetricsServiceResponse, "rejected_data_points"),
}
_INVALID_ARGUMENT = 3  # of google.rpc.Code
_MESSAGE_LIMIT = 400


def accepted(signal: str, *, is_json: bool, refused: int = 0, reason: str = "") -> HttpResponse:
    """200. refused: so many records will not count, for this reason; the exporter tells its owner."""
    response, counter = _RESPONSES[signal]
    answer = response()
    if refused:
        setattr(answer.partial_success, counter, refused)
        answer.partial_success.error_message = reason[:_MESSAGE_LIMIT]
    if is_json:
        return JsonResponse(MessageToDict(answer))
    return HttpResponse(answer.SerializeToString(), content_type=PROTOBUF)


def invalid(code: str, reason: str, *, is_json: bool) -> HttpResponse:
    """400 with google.rpc.Status, as OTLP wants it: what was sent cannot be read, ever."""
    message = f"{code}: {reason}"[:_MESSAGE_LIMIT]
    if is_json:
        return JsonResponse({"code": _INVALID_ARGUMENT, "message": message}, status=400)
    text = message.encode()
    # Fields 1 (a varint) and 2 (a length and that many bytes).
    body = bytes([0x08, _INVALID_ARGUMENT, 0x12, *_varint(len(text))]) + text
    return HttpResponse(body, status=400, content_type=PROTOBUF)


def _varint(number: int) -> bytes:
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80, *_varint(rest)]) if rest else bytes([low])
