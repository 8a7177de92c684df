"""A row of OpenRouter's activity export."""

import msgspec

from accounting.domain.tokens import TokenCounts, from_inclusive
from ingest.formats.cells import Flag
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, count
from ingest.formats.moments import Moment


class Row(msgspec.Struct):
    """One row. cost_cache is a discount that cost_total already contains."""

    generation_id: str
    created_at: Moment = None
    cost_total: Exact = NOTHING
    byok_usage_inference: Exact = NOTHING
    tokens_prompt: Count = None
    tokens_completion: Count = None
    tokens_reasoning: Count = None
    tokens_cached: Count = None
    model_permaslug: str | None = None
    provider_name: str | None = None
    variant: str | None = None
    cancelled: Flag = None
    streamed: Flag = None
    user: str | None = None
    finish_reason_raw: str | None = None
    finish_reason_normalized: str | None = None
    generation_time_ms: Count = None
    time_to_first_token_ms: Count = None
    api_key_name: str | None = None
    app_name: str | None = None


ROWS = Decoder(Row)


def counts_of(row: Row) -> TokenCounts:
    """Inclusive counts. Cached tokens are itemised, writes are not: there were none to bill."""
    read_tokens = count(row.tokens_cached, "tokens_cached")
    return from_inclusive(
        input_tokens=count(row.tokens_prompt, "tokens_prompt"),
        cache_read_input_tokens=read_tokens,
        cache_write_input_tokens=None if read_tokens is None else 0,
        output_tokens=count(row.tokens_completion, "tokens_completion"),
        reasoning_output_tokens=count(row.tokens_reasoning, "tokens_reasoning"),
    )
