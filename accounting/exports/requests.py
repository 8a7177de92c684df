"""Single requests as a table."""

from accounting.exports.tables import (
    AMOUNT,
    COUNT,
    DURATION,
    MOMENT,
    Column,
    Row,
    Table,
    columns,
)
from accounting.queries.filters import UsageFilter
from accounting.queries.requests import RequestRow, each_request

_WHO = ("status", "project", "project_name", "key", "user", "team", "session", "agent")
_WHAT = ("provider", "model", "request_model", "operation")
_ENDED = ("error_type", "error_origin", "finish_reason", "usage_state")
_COUNTS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "max_output_tokens",
)
COLUMNS = (
    Column(name="started_at", kind=MOMENT),
    Column(name="event"),
    Column(name="part", kind=COUNT),
    *columns(*_WHO, *_WHAT),
    Column(name="http_status", kind=COUNT),
    *columns(*_ENDED),
    *columns(*_COUNTS, kind=COUNT),
    *columns("duration_ms", "ttft_ms", kind=DURATION),
    *columns("cost_state", "currency"),
    *columns("cost", "credits", kind=AMOUNT),
    Column(name="unpriced_tokens", kind=COUNT),
    Column(name="reported_cost", kind=AMOUNT),
    Column(name="reported_currency"),
    Column(name="price_version", kind=COUNT),
    Column(name="import_id", kind=COUNT),
    *columns("import", "path"),
    *columns("line", "byte_offset", kind=COUNT),
    Column(name="source"),
)


def request_export(wanted: UsageFilter) -> Table:
    """A row for each part of each request, newest first. To be read in a snapshot."""
    return Table(name="requests", columns=COLUMNS, rows=map(_cells, each_request(wanted)))


def _cells(row: RequestRow) -> Row:
    lineage = row.lineage
    return (
        row.occurred_at,
        row.dedupe_key,
        row.part,
        row.status,
        row.project.value,
        row.project.label,
        row.api_key.value,
        row.user_id,
        row.team,
        row.session_id,
        row.agent,
        row.provider,
        row.model,
        row.request_model,
        row.operation,
        row.http_status,
        row.error_type,
        row.error_origin,
        row.finish_reason,
        row.usage_state,
        row.input_tokens,
        row.cache_read_input_tokens,
        row.cache_write_input_tokens,
        row.output_tokens,
        row.reasoning_output_tokens,
        row.max_output_tokens,
        row.duration_ms,
        row.ttft_ms,
        row.cost_state,
        row.currency,
        row.cost,
        row.credits,
        row.unpriced_tokens,
        row.reported_cost,
        row.reported_currency,
        row.price_version,
        lineage.import_id,
        lineage.import_name,
        lineage.path,
        lineage.line or None,
        lineage.byte_offset,
        lineage.source,
    )
