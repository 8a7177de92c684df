"""A span that is a JSON object of its own: with its ids and times, or its attributes alone."""

import msgspec

from ingest.formats.fields import Decoder
from ingest.formats.otlp_records import Record, hexadecimal
from ingest.formats.otlp_values import Instant, of_object


class Context(msgspec.Struct):
    """A span's ids."""

    trace_id: str | None = None
    span_id: str | None = None


class Resource(msgspec.Struct):
    """What the span is about."""

    attributes: dict[str, msgspec.Raw] | None = None


class Span(msgspec.Struct):
    """A span as OpenTelemetry's console and file exporters write it, or as Phoenix exports it."""

    context: Context | None = None
    start_time: Instant = None
    end_time: Instant = None
    status: dict[str, msgspec.Raw] | None = None
    status_code: str | None = None
    attributes: dict[str, msgspec.Raw] | None = None
    resource: Resource | None = None


_SPANS = Decoder(Span, {"attributes": 2, "trace_id": 2})
_MAPS: Decoder[dict[str, msgspec.Raw]] = Decoder(
    dict[str, msgspec.Raw],
    {"gen_ai.usage.input_tokens": 1, "gen_ai.usage.output_tokens": 1, "llm.token_count.prompt": 1},
)


def record_of(body: bytes) -> Record:
    """The span that an object is, or whose attributes it is."""
    found = _MAPS.of(body)
    if "attributes" in found:
        return _whole(body)
    return Record(told=of_object(found), resource=of_object(None))


def _whole(body: bytes) -> Record:
    span = _SPANS.of(body)
    context = span.context or Context()
    status = of_object(span.status).text("status_code", "code") or span.status_code or ""
    return Record(
        told=of_object(span.attributes),
        resource=of_object(span.resource.attributes if span.resource else None),
        trace_id=hexadecimal(context.trace_id, "context.trace_id"),
        span_id=hexadecimal(context.span_id, "context.span_id"),
        start=span.start_time,
        end=span.end_time,
        failed=status.endswith("ERROR") or status == "2",
    )
