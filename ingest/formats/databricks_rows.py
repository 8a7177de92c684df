"""A row of either of Databricks' usage tables, and which request it belongs to."""

from hashlib import blake2b

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import Identity
from ingest.formats.cells import Flag
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count, text
from ingest.formats.moments import Moment

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


ROWS = Decoder(Row, {"input_tokens": 1, "output_tokens": 1})


def counts_of(row: Row) -> TokenCounts:
    """Inclusive counts, by the names of either table."""
    given = row.input_token_count if row.input_tokens is None else row.input_tokens
    made = row.output_token_count if row.output_tokens is None else row.output_tokens
    return from_inclusive(
        input_tokens=count(given, "input_tokens"), output_tokens=count(made, "output_tokens")
    )


def identity_of(row: Row, *, is_spent_attempt: bool) -> Identity:
    """The request; an attempt that failed and still used tokens is a part of it of its own."""
    request_id = text(row.request_id or row.databricks_request_id, "request_id")
    invocation_id = text(row.invocation_id, "invocation_id")
    part = 0
    if is_spent_attempt and invocation_id:
        digest = blake2b(invocation_id.encode(), digest_size=4).digest()
        part = int.from_bytes(digest) % _PARTS + 1
    return Identity(gateway_request_id=request_id or invocation_id, part=part)
