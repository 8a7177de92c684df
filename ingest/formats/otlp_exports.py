"""The spans and log records of an OTLP export, in JSON or protobuf, read into outcomes."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ingest.formats import claude_code_events
from ingest.formats.base import Item, Options, Outcome, RejectedError, Sample, Skipped
from ingest.formats.fields import json_of, outcome_of
from ingest.formats.genai_spans import LOGGED, outcome
from ingest.formats.otlp_protobuf import kind_of, records
from ingest.formats.otlp_records import Record, Telling, found_in

SPANS = {"resourceSpans", "resource_spans"}
LOGS = {"resourceLogs", "resource_logs"}

#: What one span or log record comes to.
type Reading = Callable[[Record, Item, Options], Outcome]


def exports(sample: Sample, names: set[str]) -> bool:
    """Whether the sample holds exports of this kind."""
    return any(names & each.keys() for each in sample.objects) or bool(names & sample.keys)


def records_of(body: bytes) -> list[Telling]:
    """Each span and log record of an export; RejectedError where it is none."""
    kind = kind_of(body)
    return [*(records(body, kind) if kind else found_in(body))]


def outcomes(items: Iterable[Item], options: Options, one: Reading) -> Iterator[Outcome]:
    """One outcome for each span and each log record; they stand on their export's line."""
    for item in items:
        if item.refusal is not None:
            yield item.refusal.at(item)
            continue
        try:
            found = records_of(json_of(item))
        except RejectedError as error:
            yield error.at(item)
            continue
        if not found:
            yield Skipped(line=item.line)
        for telling in found:
            yield outcome_of(item, partial(_told, one, options, telling))


def span(record: Record, item: Item, options: Options, *, source: str) -> Outcome:
    """A span, as the GenAI conventions describe a request."""
    return outcome(record, item, options, source=source)


def log(record: Record, item: Item, options: Options) -> Outcome:
    """A log record: the conventions' event that repeats a request, or one of Claude Code's."""
    if is_usage(record):
        return outcome(record, item, options, source="otlp_logs")
    if claude_code_events.is_one(record):
        return claude_code_events.event(record, item, options)
    return Skipped(line=item.line)


def is_usage(record: Record) -> bool:
    """Whether a record is the event that the conventions have for a request's usage."""
    return LOGGED in {record.event, record.told.text("event.name")}


def _told(one: Reading, options: Options, telling: Telling, item: Item) -> Outcome:
    return one(telling(), item, options)
