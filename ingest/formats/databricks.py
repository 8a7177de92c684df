"""Databricks' usage tables: system.ai_gateway.usage and system.serving.endpoint_usage."""

from accounting.domain.usage import Use
from ingest.formats.base import Convention, Item, Options, Outcome, Skipped, Unit
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import flag, inner_object, row_json
from ingest.formats.databricks_rows import ROWS, counts_of, identity_of
from ingest.formats.fields import text
from ingest.formats.labels import labels_of
from ingest.formats.moments import moment
from ingest.formats.openai_usage import Usage as Checksum
from ingest.formats.openai_usage import state_of, warnings_of
from ingest.formats.tables import row_format

_GATEWAY = {"invocation_id", "event_time", "input_tokens"}
_SERVING = {"databricks_request_id", "input_token_count"}


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.of(row_json(item, {"request_tags", "usage_context"}))
    if "MCP" in (row.service_type or ""):
        return Skipped(line=item.line)
    status = http_status(row.status_code, "status_code")
    failed = has_failed(status)
    counts = used(counts_of(row), failed=failed)
    answered = text(row.destination_model, "destination_model")
    asked = text(row.endpoint_name or row.served_entity_id, "endpoint_name")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="databricks",
        request_model=asked or options.model,
        response_model=answered,
        operation="embeddings" if "embedding" in (row.api_type or "").lower() else "chat",
        status="error" if failed else "ok",
        http_status=status,
        is_stream=flag(row.request_streaming),
    )
    happened = row.request_time if row.event_time is None else row.event_time
    labels = labels_of(
        inner_object(row.request_tags) or inner_object(row.usage_context), "request_tags"
    )
    spent = failed and use.usage_state != "missing"
    return counted(
        item,
        options,
        identity=identity_of(row, is_spent_attempt=spent),
        use=use,
        started_at=moment(happened, "event_time", naive_is_utc=True),
        warnings=warnings_of(Checksum(total_tokens=row.total_tokens), counts),
        **labels.where(user_id=text(row.requester, "requester")),
    )


FORMAT = row_format(
    name="databricks",
    title="Databricks AI Gateway and serving usage",
    row=_row,
    columns=(_GATEWAY, _SERVING),
    units=(Unit.CSV, Unit.JSON),
    convention=Convention.INCLUSIVE,
    key="request_id, so that attempts of one request count once; databricks_request_id",
    where="system.ai_gateway.usage or system.serving.endpoint_usage as CSV or JSON; times are UTC",
    source="Databricks' documentation and public queries",
)
