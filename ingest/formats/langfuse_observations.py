"""Langfuse's observations: rows of the blob export (JSON lines or CSV), or pages of its API."""

from ingest.formats.base import Convention, Item, Options, Outcome, Unit
from ingest.formats.cells import row_json
from ingest.formats.langfuse_rows import JSON_COLUMNS, observation_of, outcome_of_observation
from ingest.formats.tables import row_format

_EXPORT = {"usage_details", "start_time", "trace_id"}
_API = {"usageDetails", "startTime", "traceId"}


def _row(options: Options, item: Item) -> Outcome:
    row = observation_of(row_json(item, JSON_COLUMNS))
    return outcome_of_observation(row, item, options, source=FORMAT.name)


FORMAT = row_format(
    name="langfuse_observations",
    title="Langfuse observations",
    row=_row,
    columns=(_EXPORT, _API),
    pages=("data",),
    units=(Unit.JSON, Unit.CSV),
    convention=Convention.DISJOINT,
    key="trace_id and id of the observation; the row updated last counts",
    where="blob storage export, the table's Export, or GET /api/public/observations; times are UTC",
    source="langfuse/langfuse: exporter and its tests",
)
