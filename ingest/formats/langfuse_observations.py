"""Langfuse's observations: rows of the blob export (JSON lines or CSV), or pages of its API."""

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
from ingest.formats.cells import row_json
from ingest.formats.fields import outcomes
from ingest.formats.langfuse_rows import JSON_COLUMNS, observation_of, outcome_of_observation
from ingest.formats.pages import row_items, rows_seen

_EXPORT = {"usage_details", "start_time", "trace_id"}
_API = {"usageDetails", "startTime", "traceId"}


def recognise(sample: Sample) -> str:
    """The columns of the export, or the names of its API."""
    rows = [set(sample.header), *(set(each) for each in rows_seen(sample, "data"))]
    if any(row >= _EXPORT for row in rows):
        return "has usage_details, start_time and trace_id"
    return "has usageDetails, startTime and traceId" if any(r >= _API for r in rows) else ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each observation."""
    return outcomes(row_items(items, "data"), partial(_row, options))


def _row(options: Options, item: Item) -> Outcome:
    row = observation_of(row_json(item, JSON_COLUMNS))
    return outcome_of_observation(row, item, options, source=FORMAT.name)


FORMAT = Format(
    name="langfuse_observations",
    title="Langfuse observations",
    unit=Unit.JSON,
    also=(Unit.CSV,),
    scope=Scope.RECORD,
    convention=Convention.DISJOINT,
    key="trace_id and id of the observation; the row updated last counts",
    where="blob storage export, the table's Export, or GET /api/public/observations; times are UTC",
    source="langfuse/langfuse: exporter and its tests",
    recognise=recognise,
    read=read,
    extensions=(".jsonl", ".json", ".csv"),
)
