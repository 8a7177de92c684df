"""The spans and log records of an OTLP export, in JSON or protobuf, read into outcomes."""

from collections.abc import Iterable, Iterator
from functools import partial

from ingest.formats.base import Item, Options, Outcome, RejectedError, Sample, Skipped
from ingest.formats.fields import json_of, outcome_of
from ingest.formats.genai_spans import LOGGED, outcome
from ingest.formats.otlp_protobuf import kind_of, records
from ingest.formats.otlp_records import Record, found_in, record
from ingest.formats.otlp_values import Found

SPANS = {"resourceSpans", "resource_spans"}
LOGS = {"resourceLogs", "resource_logs"}


def exports(sample: Sample, names: set[str]) -> bool:
    """Whether the sample holds exports of this kind."""
    return any(names & each.keys() for each in sample.objects) or bool(names & sample.keys)


def outcomes(items: Iterable[Item], options: Options, source: str) -> Iterator[Outcome]:
    """One outcome for each span and each log record; they stand on their export's line."""
    for item in items:
        if item.refusal is not None:
            yield item.refusal.at(item)
            continue
        try:
            body = json_of(item)
            found: list[Found | Record] = [*(records(body) if kind_of(body) else found_in(body))]
        except RejectedError as error:
            yield error.at(item)
            continue
        if not found:
            yield Skipped(line=item.line)
        for each in found:
            yield outcome_of(item, partial(_one, options, source, each))


def _one(options: Options, source: str, found: Found | Record, item: Item) -> Outcome:
    told = record(found) if isinstance(found, Found) else found
    if told.is_log and LOGGED not in {told.event, told.told.text("event.name")}:
        return Skipped(line=item.line)
    return outcome(told, item, options, source=source)
