"""OTLP exports for tests: the same records in protobuf and in JSON."""

import base64
import json

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

PROTOBUF, JSON = "application/x-protobuf", "application/json"
START_NS = 1_772_445_600_000_000_000  # 2026-03-02 10:00 UTC
LOGGED = "gen_ai.client.inference.operation.details"


def attributes(**values):
    """OTLP's attributes; the names' double underscores stand for points."""
    found = []
    for name, value in values.items():
        pair = KeyValue(key=name.replace("__", "."))
        kind = {bool: "bool", int: "int", float: "double"}.get(type(value), "string")
        setattr(pair.value, f"{kind}_value", value)
        found.append(pair)
    return found


def usage(number, **more):
    """What a request tells of itself: 100 input and 10 output tokens."""
    values = {
        "gen_ai__operation__name": "chat",
        "gen_ai__provider__name": "openai",
        "gen_ai__request__model": "gpt-4o",
        "gen_ai__response__id": f"r-{number}",
        "gen_ai__usage__input_tokens": 100,
        "gen_ai__usage__output_tokens": 10,
    }
    return {name: value for name, value in {**values, **more}.items() if value is not None}


def span(number, **more):
    return Span(
        trace_id=b"%016d" % number,
        span_id=b"%08d" % number,
        name="chat gpt-4o",
        start_time_unix_nano=START_NS,
        end_time_unix_nano=START_NS + 10**9,
        attributes=attributes(**usage(number, **more)),
    )


def log(number, **more):
    return LogRecord(
        time_unix_nano=START_NS,
        event_name=LOGGED,
        trace_id=b"%016d" % number,
        span_id=b"%08d" % number,
        attributes=attributes(**usage(number, **more)),
    )


def traces(*spans, scope=""):
    export = ExportTraceServiceRequest()
    scoped = export.resource_spans.add().scope_spans.add()
    scoped.scope.name = scope
    scoped.spans.extend(spans)
    return export


def logs(*records, scope="", resource=()):
    export = ExportLogsServiceRequest()
    group = export.resource_logs.add()
    group.resource.attributes.extend(resource)
    scoped = group.scope_logs.add()
    scoped.scope.name = scope
    scoped.log_records.extend(records)
    return export


def metrics(points):
    """An export with so many data points of one counter."""
    export = ExportMetricsServiceRequest()
    metric = export.resource_metrics.add().scope_metrics.add().metrics.add()
    metric.name = "gen_ai.client.token.usage"
    for number in range(points):
        metric.sum.data_points.add(as_int=number)
    return export


def written(export, content_type):
    """An export as bytes; OTLP's JSON has ids in hexadecimal."""
    if content_type == PROTOBUF:
        return export.SerializeToString()
    return json.dumps(_with_hex_ids(MessageToDict(export))).encode()


def _with_hex_ids(value):
    if isinstance(value, list):
        return [_with_hex_ids(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        name: base64.b64decode(inner).hex()
        if name in {"traceId", "spanId"}
        else _with_hex_ids(inner)
        for name, inner in value.items()
    }
