"""Spans one object each, outside OTLP: their attributes alone, or as Python's exporters write them."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

import msgspec

from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import Decoder, json_of, outcomes
from ingest.formats.genai_spans import outcome
from ingest.formats.otlp_records import Record, hexadecimal
from ingest.formats.otlp_values import Instant, of_object

_OWN = ("openinference.span.kind", "gen_ai.operation.name", "ai.operationId", "llm.request.type")


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


def recognise(sample: Sample) -> str:
    """Attributes that name an operation or a kind of span."""
    for each in sample.objects:
        told = each.get("attributes")
        if _is_span(each) and isinstance(told, dict) and any(name in told for name in _OWN):
            return "has spans with GenAI or OpenInference attributes"
        if any(name in each for name in _OWN) and "start_time" not in each:
            return "has the attributes of GenAI or OpenInference spans"
    begun = any(name in sample.keys for name in _OWN)
    return "begins like the attributes of GenAI or OpenInference spans" if begun else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each object."""
    return outcomes(items, partial(_object, options))


def _object(options: Options, item: Item) -> Outcome:
    body = json_of(item)
    found = _MAPS.of(body)
    record = (
        _span(body)
        if "attributes" in found
        else Record(told=of_object(found), resource=of_object(None))
    )
    return outcome(record, item, options, source=FORMAT.name)


def _span(body: bytes) -> Record:
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


def _is_span(each: Mapping[str, object]) -> bool:
    return isinstance(each.get("context"), dict) and "start_time" in each


FORMAT = Format(
    name="openinference",
    title="OpenInference and GenAI spans, an object each",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="gen_ai.response.id, else trace and span id, else what the attributes say",
    where="spans as OpenTelemetry's console exporter or Phoenix writes them, or their attributes alone",
    source="Arize-ai/openinference: conventions and fixtures; semantic-conventions-genai",
    recognise=recognise,
    read=read,
)
