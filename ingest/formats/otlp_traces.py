"""OpenTelemetry traces over OTLP, as JSON or protobuf: GenAI conventions and OpenInference."""

from collections.abc import Iterable, Iterator
from functools import partial

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
from ingest.formats.otlp_exports import SPANS, exports, outcomes, span


def recognise(sample: Sample) -> str:
    """An export of spans."""
    return "has resource spans" if exports(sample, SPANS) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each span."""
    return outcomes(items, options, partial(span, source=FORMAT.name))


FORMAT = Format(
    name="otlp_traces",
    title="OpenTelemetry traces (OTLP)",
    unit=Unit.JSON,
    also=(Unit.DOCUMENT,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="gen_ai.response.id, else trace and span id",
    where="a collector's file exporter, or the body of an export request (JSON or protobuf)",
    source="opentelemetry-proto; semantic-conventions-genai, OpenInference, OpenLLMetry, Vercel's AI SDK",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".pb", ".binpb"),
)
