"""OpenRouter's activity export: a CSV with one generation a row."""

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Unit
from ingest.formats.calls import counted
from ingest.formats.cells import Flag, flag, is_set, row_json
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, count, milliseconds, text
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of
from ingest.formats.tables import row_format

_COLUMNS = {"generation_id", "tokens_prompt", "model_permaslug"}


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


_DECODER = Decoder(Row)


def _row(options: Options, item: Item) -> Outcome:
    row = _DECODER.of(row_json(item))
    read_tokens = count(row.tokens_cached, "tokens_cached")
    counts = from_inclusive(
        input_tokens=count(row.tokens_prompt, "tokens_prompt"),
        cache_read_input_tokens=read_tokens,
        # Cached tokens are itemised, writes are not: there were none to bill.
        cache_write_input_tokens=None if read_tokens is None else 0,
        output_tokens=count(row.tokens_completion, "tokens_completion"),
        reasoning_output_tokens=count(row.tokens_reasoning, "tokens_reasoning"),
    )
    model = text(row.model_permaslug, "model_permaslug")
    served_by = text(row.provider_name, "provider_name")
    has_own_key = bool(cost(row.byok_usage_inference, "byok_usage_inference"))
    streamed = flag(row.streamed)
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        # With a key of one's own the provider bills the tokens, else OpenRouter does.
        provider=provider_id(served_by) if has_own_key else "openrouter",
        request_model=model,
        response_model=model,
        status="cancelled" if is_set(row.cancelled) else "ok",
        finish_reason=text(row.finish_reason_normalized or row.finish_reason_raw, "finish", 80),
        is_stream=streamed,
        duration_ms=milliseconds(row.generation_time_ms, "generation_time_ms"),
        ttft_ms=milliseconds(row.time_to_first_token_ms, "ttft_ms") if streamed else None,
        reported_cost=cost(row.cost_total, "cost_total"),
        reported_currency="USD",
    )
    tags = {
        "app": text(row.app_name, "app_name"),
        "byok": "yes" * has_own_key,
        "served_by": served_by,
        "variant": text(row.variant, "variant").replace("standard", ""),
    }
    return counted(
        item,
        options,
        identity=Identity(response_id=text(row.generation_id, "generation_id")),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        user_id=text(row.user, "user"),
        api_key_name=text(row.api_key_name, "api_key_name"),
        tags=tuple((key, value) for key, value in tags.items() if value),
    )


FORMAT = row_format(
    name="openrouter_activity",
    title="OpenRouter activity export",
    row=_row,
    columns=({"generation_id", "tokens_prompt", "model_permaslug"},),
    units=(Unit.CSV,),
    convention=Convention.INCLUSIVE,
    key="generation_id",
    where="openrouter.ai/activity, Export; its times are UTC",
    source="exports in the tests of several public projects",
)
