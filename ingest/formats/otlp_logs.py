"""OpenTelemetry logs over OTLP, as JSON or protobuf: the event that describes a GenAI request."""

from collections.abc import Iterable, Iterator

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
from ingest.formats.otlp_exports import LOGS, SPANS, exports, log, outcomes

#: Claude Code's own events are another format.
_OTHERS = ("com.anthropic.claude_code", '"claude_code.')


def recognise(sample: Sample) -> str:
    """An export of logs that is not Claude Code's."""
    if exports(sample, SPANS) or any(name in sample.text for name in _OTHERS):
        return ""
    return "has resource logs" if exports(sample, LOGS) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each log record."""
    return outcomes(items, options, log)


FORMAT = Format(
    name="otlp_logs",
    title="OpenTelemetry logs (OTLP)",
    unit=Unit.JSON,
    also=(Unit.DOCUMENT,),
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="gen_ai.response.id, else trace and span id; a request's log record meets its span",
    where="a collector's file exporter, or the body of an export request (JSON or protobuf)",
    source="opentelemetry-proto; semantic-conventions-genai: inference.operation.details",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".pb", ".binpb"),
)
