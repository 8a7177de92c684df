"""An event as one's own program writes it for Tallybook."""

import msgspec

from accounting.domain.tokens import COUNT_NAMES
from ingest.formats.fields import NOTHING, Count, Decoder, Exact
from ingest.formats.moments import Moment


class Event(msgspec.Struct, forbid_unknown_fields=True):
    """One request, or one part of it that is priced apart. Unknown names are refused.

    input_tokens includes cached tokens, output_tokens includes reasoning. id is response_id.
    """

    started_at: str | None
    id: str | None = None
    response_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    gateway_request_id: str | None = None
    part: Count = None
    updated_at: Moment = None
    provider: str | None = None
    model: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    operation: str | None = None
    service_tier: str | None = None
    processing: str | None = None
    speed: str | None = None
    region: str | None = None
    route: str | None = None
    input_tokens: Count = None
    cache_read_input_tokens: Count = None
    cache_write_input_tokens: Count = None
    cache_write_5m_input_tokens: Count = None
    cache_write_1h_input_tokens: Count = None
    tool_use_input_tokens: Count = None
    input_audio_tokens: Count = None
    cache_read_audio_tokens: Count = None
    input_image_tokens: Count = None
    output_tokens: Count = None
    reasoning_output_tokens: Count = None
    output_audio_tokens: Count = None
    output_image_tokens: Count = None
    output_citation_tokens: Count = None
    web_search_requests: Count = None
    other_units: dict[str, Count] | None = None
    max_output_tokens: Count = None
    session_id: str | None = None
    turn_id: str | None = None
    agent: str | None = None
    is_sidechain: bool = False
    user_id: str | None = None
    team: str | None = None
    environment: str | None = None
    cost_center: str | None = None
    api_key_name: str | None = None
    working_folder: str | None = None
    project: str | None = None
    tags: dict[str, str] | None = None
    status: str = "ok"
    http_status: Count = None
    error_type: str | None = None
    error_origin: str | None = None
    finish_reason: str | None = None
    is_stream: bool | None = None
    gateway_cache_hit: bool = False
    billable: bool = True
    duration_ms: Count = None
    ttft_ms: Count = None
    tpot_ms: Count = None
    reported_cost: Exact = NOTHING
    reported_currency: str | None = None


#: Every name that an event may have.
NAMES = frozenset(field.encode_name for field in msgspec.structs.fields(Event))
_WATCHED = (*COUNT_NAMES, "started_at", "id", "response_id", "model", "reported_cost")
EVENTS = Decoder(Event, dict.fromkeys(_WATCHED, 1))
