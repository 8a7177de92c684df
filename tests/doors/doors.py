"""The doors, each with its own way to write the same record, and to send three of them."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.ingest import exports
from tests.ingest.conftest import EVENTS

NATIVE = {
    "started_at": b'"2026-03-02T10:00:00Z"',
    "provider": b'"openai"',
    "model": b'"gpt-4o"',
    "input_tokens": b"100",
    "output_tokens": b"10",
}
#: The same fields as GenAI's conventions name them.
CONVENTIONS = {
    "provider": "gen_ai.provider.name",
    "model": "gen_ai.request.model",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "reported_cost": "gen_ai.usage.cost",
    "session_id": "gen_ai.conversation.id",
    "id": "gen_ai.response.id",
}


@dataclass(frozen=True)
class Answer:
    """What a sender hears. code: of a refusal, else ''. refused: records, as an exporter is told."""

    status: int
    code: str = ""
    refused: int = 0


@dataclass(frozen=True)
class Door:
    """One way in.

    write: a record of this number with fields as JSON text, or a whole line as it is. join: records
    as a body. is_single: a body holds one record. traits: what the table of cases asks for.
    """

    name: str
    write: Callable[..., bytes]
    join: Callable[[list[bytes]], bytes]
    address: str = EVENTS
    content_type: str = "application/x-ndjson"
    is_single: bool = False
    traits: frozenset = field(default_factory=frozenset)

    def bodies(self, *records):
        return [self.join([each]) for each in records] if self.is_single else [self.join(records)]


def native(number, *, line=None, extra=b"", **raw):
    if line is not None:
        return line
    told = {"id": b'"r-%d"' % number, **NATIVE, **raw}
    members = [b'"%s":%s' % (name.encode(), value) for name, value in told.items() if value]
    return b"{" + b",".join([*members, *([extra] if extra else [])]) + b"}"


def cloud(number, *, line=None, **raw):
    head = b'{"specversion":"1.0","id":"e-%d","source":"/s","type":"t"' % number
    return line if line is not None else head + b',"data":' + native(number, **raw) + b"}"


def attribute(name, raw):
    kind = "doubleValue"
    if re.fullmatch(rb"-?\d+", raw):
        kind = "intValue"
    elif raw[:1] == b'"':
        kind = "stringValue"
    elif raw in {b"true", b"false"}:
        kind = "boolValue"
    elif raw[:1] == b"[":
        kind, raw = "arrayValue", b'{"values":' + raw + b"}"
    return b'{"key":"%s","value":{"%s":%s}}' % (name.encode(), kind.encode(), raw)


def genai(number, *, line=None, extra=b"", timed, start=None, **raw):
    """A span or log record in OTLP's JSON; timed: the name of its time, and what only it has."""
    if line is not None:
        return line
    told = {**NATIVE, "id": b'"r-%d"' % number, **raw}
    given = [
        attribute(CONVENTIONS[name], value)
        for name, value in told.items()
        if name in CONVENTIONS and value
    ]
    given.append(attribute("gen_ai.operation.name", b'"chat"'))
    start = start or b'"%d"' % exports.START_NS
    members = [
        b'"traceId":"%032x","spanId":"%016x"' % (number, number),
        timed % start,
        b'"attributes":[' + b",".join(given) + b"]",
        *([extra] if extra else []),
    ]
    return b"{" + b",".join(members) + b"}"


def span(number, **raw):
    return genai(number, timed=b'"name":"chat","startTimeUnixNano":%s', **raw)


def log(number, **raw):
    head = b'"eventName":"%s",' % exports.LOGGED.encode()
    return genai(number, timed=head + b'"timeUnixNano":%s', **raw)


def _protobuf(make, number, *, line=None, extra=None, start=None, **raw):
    if line is not None:
        return line
    names = {
        CONVENTIONS[name].replace(".", "__"): _plain(value)
        for name, value in raw.items()
        if name in CONVENTIONS
    }
    message = make(number, **names)
    if start is not None:
        is_log = make is exports.log
        field = "time_unix_nano" if is_log else "start_time_unix_nano"
        setattr(message, field, int(start.strip(b'"')))
    if extra is not None:
        message.attributes.extend(exports.attributes(**extra))
    return message


def _plain(raw):
    value = json.loads(raw)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        raise OverflowError(value)
    return value


def protobuf_span(number, **raw):
    return _protobuf(exports.span, number, **raw)


def protobuf_log(number, **raw):
    return _protobuf(exports.log, number, **raw)


def lines(records):
    return b"".join(record + b"\n" for record in records)


def array(records):
    return b"[" + b",".join(records) + b"]"


DOORS = [
    Door("events", native, lines, traits=frozenset({"lines", "native", "packed"})),
    Door(
        "array",
        native,
        array,
        content_type=exports.JSON,
        traits=frozenset({"array", "native", "packed"}),
    ),
    Door(
        "cloudevent",
        cloud,
        lambda records: records[0],
        content_type="application/cloudevents+json",
        is_single=True,
        traits=frozenset({"cloud", "native", "packed"}),
    ),
    Door(
        "cloudevents-batch",
        cloud,
        array,
        content_type="application/cloudevents-batch+json",
        traits=frozenset({"cloud", "array", "native", "packed"}),
    ),
    Door(
        "traces-json",
        span,
        lambda r: b'{"resourceSpans":[{"scopeSpans":[{"spans":' + array(r) + b"}]}]}",
        address="/otlp/v1/traces",
        content_type=exports.JSON,
        traits=frozenset({"otlp", "otlp-json", "packed"}),
    ),
    Door(
        "logs-json",
        log,
        lambda r: b'{"resourceLogs":[{"scopeLogs":[{"logRecords":' + array(r) + b"}]}]}",
        address="/otlp/v1/logs",
        content_type=exports.JSON,
        traits=frozenset({"otlp", "otlp-json", "packed"}),
    ),
    Door(
        "traces-protobuf",
        protobuf_span,
        lambda records: exports.traces(*records).SerializeToString(),
        address="/otlp/v1/traces",
        content_type=exports.PROTOBUF,
        traits=frozenset({"otlp", "protobuf", "packed"}),
    ),
    Door(
        "logs-protobuf",
        protobuf_log,
        lambda records: exports.logs(*records).SerializeToString(),
        address="/otlp/v1/logs",
        content_type=exports.PROTOBUF,
        traits=frozenset({"otlp", "protobuf", "packed"}),
    ),
    Door(
        "upload",
        native,
        lines,
        address="/imports/upload?name=a.jsonl",
        content_type="application/octet-stream",
        traits=frozenset({"lines", "native", "file"}),
    ),
    Door(
        "command",
        native,
        lines,
        address="",
        traits=frozenset({"lines", "native", "file", "command"}),
    ),
]
