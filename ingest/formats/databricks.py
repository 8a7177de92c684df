"""Databricks' usage tables: system.ai_gateway.usage and system.serving.endpoint_usage."""

from hashlib import blake2b

import msgspec

from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Skipped, Unit
from ingest.formats.calls import counted, has_failed, http_status, used
from ingest.formats.cells import Flag, flag, inner_object, row_json
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count, text
from ingest.formats.labels import labels_of
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import Usage as Checksum
from ingest.formats.openai_usage import state_of, warnings_of
from ingest.formats.tables import row_format

_GATEWAY = {"invocation_id", "event_time", "input_tokens"}
_SERVING = {"databricks_request_id", "input_token_count"}
_PARTS = 2**15 - 1


class Row(msgspec.Struct):
    """One attempt (ai_gateway.usage) or one request (endpoint_usage)."""

    request_id: str | None = None
    databricks_request_id: str | None = None
    invocation_id: str | None = None
    event_time: Moment = None
    request_time: Moment = None
    endpoint_name: str | None = None
    served_entity_id: str | None = None
    destination_model: str | None = None
    requester: str | None = None
    service_type: str | None = None
    api_type: str | None = None
    status_code: Count = None
    input_tokens: Count = None
    output_tokens: Count = None
    total_tokens: Count = None
    input_token_count: Count = None
    output_token_count: Count = None
    request_streaming: Flag = None
    request_tags: Exact = NOTHING
    usage_context: Exact = NOTHING


_DECODER = Decoder(Row, {"input_tokens": 1, "output_tokens": 1})


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.of(row_json(item, {"request_tags", "usage_context"}))
    if "MCP" in (row.service_type or ""):
        return Skipped(line=item.line)
    status = http_status(row.status_code, "status_code")
    failed = has_failed(status)
    given = row.input_token_count if row.input_tokens is None else row.input_tokens
    made = row.output_token_count if row.output_tokens is None else row.output_tokens
    counts = used(
        from_inclusive(
            input_tokens=count(given, "input_tokens"), output_tokens=count(made, "output_tokens")
        ),
        failed=failed,
    )
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
        identity=_identity(row, is_spent_attempt=spent),
        use=use,
        started_at=moment(happened, "event_time", naive_is_utc=True),
        warnings=warnings_of(Checksum(total_tokens=row.total_tokens), counts),
        **labels.where(user_id=text(row.requester, "requester")),
    )


def _identity(row: Row, *, is_spent_attempt: bool) -> Identity:
    """The request; an attempt that failed and still used tokens is a part of it of its own."""
    request_id = text(row.request_id or row.databricks_request_id, "request_id")
    invocation_id = text(row.invocation_id, "invocation_id")
    part = 0
    if is_spent_attempt and invocation_id:
        digest = blake2b(invocation_id.encode(), digest_size=4).digest()
        part = int.from_bytes(digest) % _PARTS + 1
    return Identity(gateway_request_id=request_id or invocation_id, part=part)


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
