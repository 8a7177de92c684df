"""Spans one object each, outside OTLP: their attributes alone, or as Python's exporters write them."""

from collections.abc import Mapping

from ingest.formats.base import Convention, Item, Options, Outcome, Sample
from ingest.formats.fields import json_of
from ingest.formats.genai_spans import outcome
from ingest.formats.span_objects import record_of
from ingest.formats.tables import row_format

_OWN = ("openinference.span.kind", "gen_ai.operation.name", "ai.operationId", "llm.request.type")


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


def _object(options: Options, item: Item) -> Outcome:
    return outcome(record_of(json_of(item)), item, options, source=FORMAT.name)


def _is_span(each: Mapping[str, object]) -> bool:
    return isinstance(each.get("context"), dict) and "start_time" in each


FORMAT = row_format(
    name="openinference",
    title="OpenInference and GenAI spans, an object each",
    row=_object,
    recognise=recognise,
    convention=Convention.INCLUSIVE,
    key="gen_ai.response.id, else trace and span id, else what the attributes say",
    where="spans as OpenTelemetry's console exporter or Phoenix writes them, or their attributes alone",
    source="Arize-ai/openinference: conventions and fixtures; semantic-conventions-genai",
)
