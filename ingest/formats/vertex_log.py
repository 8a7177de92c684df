"""Vertex AI's request-response log: rows of its BigQuery table."""

import re

from accounting.domain.usage import NOTHING_REPORTED, Identity, Use
from ingest.formats import anthropic_usage, gemini_usage
from ingest.formats.base import Convention, Item, Options, Outcome
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import inner_json, inner_object
from ingest.formats.fields import milliseconds, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format
from ingest.formats.vertex_rows import METADATA, ROWS, body_of, limit_of, message_of, object_in

_KEYS = {"logging_time", "full_response", "api_method"}
_REGION = re.compile(r"/locations/([a-z0-9-]+)/")


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.decoded(item)
    body = body_of(row.full_response)
    message = message_of(row.full_response)
    counts = NOTHING_REPORTED
    if body.usage is not None:
        counts = gemini_usage.counts_of(body.usage)
    elif message.usage is not None:
        counts = anthropic_usage.counts_of(message.usage)
    status = http_status(body.error.code if body.error else None, "error.code")
    failed = body.error is not None or has_failed(status)
    counts = used(counts, failed=failed)
    model = text(row.model, "model")
    asked = inner_object(row.full_request)
    latency = METADATA.of(inner_json(row.metadata) or b"{}").request_latency
    region = _REGION.search(row.endpoint or "")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        provider="google",
        request_model=model,
        response_model=text(body.model_version, "modelVersion") or model,
        operation="embeddings" if "embed" in (row.api_method or "").lower() else "chat",
        service_tier=gemini_usage.tier_of(body.usage) if body.usage else "",
        region=region[1] if region else "",
        status="error" if failed else "ok",
        http_status=status,
        error_type=text(body.error.status, "error.status") if body.error else "",
        error_origin="upstream" if failed else "",
        finish_reason=body.finish_reason or text(message.stop_reason, "stop_reason", 80),
        is_stream="stream" in row.api_method.lower() if row.api_method else None,
        max_output_tokens=limit_of(asked),
        duration_ms=milliseconds(latency, "metadata.request_latency"),
    )
    labels = labels_of(object_in(asked.get("labels")), "labels")
    return counted(
        item,
        options,
        identity=Identity(
            response_id=text(body.response_id or message.id, "responseId"),
            gateway_request_id=text(str(row.request_id or ""), "request_id"),
        ),
        use=use,
        started_at=moment(row.logging_time, "logging_time", naive_is_utc=True),
        **labels.where(),
    )


FORMAT = row_format(
    name="vertex_log",
    title="Vertex AI request-response log",
    row=_row,
    columns=({"logging_time", "full_response", "api_method"},),
    convention=Convention.INCLUSIVE,
    key="responseId or id of the answer where it has one, else request_id",
    where="the BigQuery table of request-response logging as JSON lines; mind its sampling rate",
    source="public queries over the table",
)
