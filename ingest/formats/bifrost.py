"""Bifrost's logs: pages of its API, or rows of its table."""

from accounting.domain.naming import provider_id
from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome
from ingest.formats.bifrost_rows import ROWS
from ingest.formats.calls import counted, used
from ingest.formats.cells import inner_object
from ingest.formats.fields import cost, milliseconds, text
from ingest.formats.labels import checked_tags, labels_of
from ingest.formats.moments import moment
from ingest.formats.openai_usage import counts_of, state_of, warnings_of
from ingest.formats.tables import row_format

_STATUSES = {"success": "ok", "error": "error", "processing": "pending"}


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.decoded(item)
    status = _STATUSES.get(row.status or "", "ok")
    failed = status == "error"
    counts = NOTHING_REPORTED if row.token_usage is None else counts_of(row.token_usage)
    counts = used(counts, failed=failed)
    is_hit = bool(row.cache_debug and row.cache_debug.cache_hit)
    error = inner_object(row.error_details)
    model = text(row.model, "model")
    started_at = moment(row.timestamp, "timestamp", naive_is_utc=True)
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        # A row that has ended is later than the same one while it was processing.
        source_updated_at=None if status == "pending" else started_at,
        source=FORMAT.name,
        provider=provider_id(text(row.provider, "provider")),
        request_model=text(row.alias, "alias") or model,
        response_model=model,
        operation="embeddings" if "embedding" in (row.object or "") else "chat",
        status=status,
        error_origin=("gateway" if error.get("is_bifrost_error") else "upstream") if failed else "",
        finish_reason=text(row.stop_reason, "stop_reason", 80),
        is_stream=row.stream,
        gateway_cache_hit=is_hit,
        billable=not is_hit,
        duration_ms=milliseconds(row.latency, "latency"),
        reported_cost=cost(row.cost, "cost"),
        reported_currency="USD",
    )
    labels = labels_of(inner_object(row.metadata), "metadata")
    tags = dict(labels.tags)
    if row.customer_id:
        tags["customer"] = text(row.customer_id, "customer_id")
    return counted(
        item,
        options,
        identity=Identity(gateway_request_id=text(row.id, "id")),
        use=use,
        started_at=started_at,
        warnings=warnings_of(row.token_usage, counts) if row.token_usage else (),
        **labels.where(
            session_id=labels.session_id or text(row.parent_request_id, "parent_request_id"),
            user_id=text(row.user_id, "user_id"),
            team=text(row.team_name or row.team_id, "team_id"),
            api_key_name=text(row.virtual_key_name or row.selected_key_name, "virtual_key_name"),
            tags=checked_tags(tags),
        ),
    )


FORMAT = row_format(
    name="bifrost",
    title="Bifrost logs",
    row=_row,
    columns=({"token_usage", "selected_key_id", "provider"},),
    pages=("logs",),
    convention=Convention.INCLUSIVE,
    key="id of the attempt",
    where="GET /api/logs, or the table logs of its log store as JSON lines",
    source="maximhq/bifrost: the log store's schema",
)
