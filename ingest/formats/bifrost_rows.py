"""A row of Bifrost's logs."""

import msgspec

from ingest.formats.fields import NOTHING, Count, Decoder, Exact
from ingest.formats.moments import Moment
from ingest.formats.openai_usage import WATCHED, Usage


class CacheDebug(msgspec.Struct):
    """Bifrost's own semantic cache."""

    cache_hit: bool | None = None


class Row(msgspec.Struct):
    """One attempt. A row that is processing is written again when it ends."""

    id: str
    parent_request_id: str | None = None
    timestamp: Moment = None
    object: str | None = None
    provider: str | None = None
    model: str | None = None
    alias: str | None = None
    fallback_index: Count = None
    virtual_key_name: str | None = None
    selected_key_name: str | None = None
    user_id: str | None = None
    team_id: str | None = None
    team_name: str | None = None
    customer_id: str | None = None
    latency: Count = None
    token_usage: Usage | None = None
    cost: Exact = NOTHING
    status: str | None = None
    stop_reason: str | None = None
    stream: bool | None = None
    cache_debug: CacheDebug | None = None
    metadata: Exact = NOTHING
    error_details: Exact = NOTHING


ROWS = Decoder(Row, WATCHED)
