"""Claude Code's OpenTelemetry log export: one event for each request and each failed attempt."""

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
from ingest.formats.claude_code_events import SOURCE, event
from ingest.formats.otlp_exports import LOGS, exports, is_usage, log, outcomes
from ingest.formats.otlp_records import Record


def recognise(sample: Sample) -> str:
    """An export of logs that names Claude Code's scope or events."""
    fits = "com.anthropic.claude_code" in sample.text or '"claude_code.' in sample.text
    return "has log records of Claude Code" if fits and exports(sample, LOGS) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each log record; they stand on their export's line."""
    return outcomes(items, options, _one)


def _one(record: Record, item: Item, options: Options) -> Outcome:
    """One of Claude Code's events, or what else a collector has put beside them."""
    return log(record, item, options) if is_usage(record) else event(record, item, options)


FORMAT = Format(
    name=SOURCE,
    title="Claude Code OpenTelemetry logs",
    unit=Unit.JSON,
    also=(Unit.DOCUMENT,),
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="request_id; without it session.id, event.sequence and time",
    where="OTEL_LOGS_EXPORTER=otlp and a collector's file exporter; the same usage as the transcripts"
    " and the metrics: import one of them",
    source="anthropics/claude-code: monitoring documentation",
    recognise=recognise,
    read=read,
    extensions=(".json", ".jsonl", ".pb", ".binpb"),
)
