"""OpenRouter's generation objects: one answer of GET /api/v1/generation, or lines of them."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import from_inclusive
from accounting.domain.usage import Identity, Use
from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.calls import counted, http_status
from ingest.formats.fields import (
    NOTHING,
    Count,
    Decoder,
    Exact,
    cost,
    count,
    milliseconds,
    outcomes,
    text,
)
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of
from ingest.formats.pages import row_items, rows_seen


class Generation(msgspec.Struct):
    """One generation. Its native counts are the provider's, tokens_* another tokenizer's."""

    id: str
    created_at: Moment = None
    model: str | None = None
    provider_name: str | None = None
    api_type: str | None = None
    service_tier: str | None = None
    streamed: bool | None = None
    cancelled: bool | None = None
    is_byok: bool | None = None
    http_status: Count = None
    finish_reason: str | None = None
    total_cost: Exact = NOTHING
    latency: Count = None
    generation_time: Count = None
    native_tokens_prompt: Count = None
    native_tokens_completion: Count = None
    native_tokens_reasoning: Count = None
    native_tokens_cached: Count = None
    native_tokens_completion_images: Count = None
    external_user: str | None = None
    session_id: str | None = None
    app_id: Count = None


_DECODER = Decoder(Generation, {"native_tokens_prompt": 1, "native_tokens_completion": 1})


def recognise(sample: Sample) -> str:
    """Native counts under an id of OpenRouter's."""
    for each in rows_seen(sample, "data"):
        if "native_tokens_prompt" in each and not str(each.get("id", "")).startswith("gen_"):
            return "has generations with native_tokens_prompt"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each generation."""
    return outcomes(row_items(items, "data"), partial(_generation, options))


def _generation(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    read_tokens = count(row.native_tokens_cached, "native_tokens_cached")
    counts = from_inclusive(
        input_tokens=count(row.native_tokens_prompt, "native_tokens_prompt"),
        cache_read_input_tokens=read_tokens,
        # Cached tokens are itemised, writes are not: there were none to bill.
        cache_write_input_tokens=None if read_tokens is None else 0,
        output_tokens=count(row.native_tokens_completion, "native_tokens_completion"),
        reasoning_output_tokens=count(row.native_tokens_reasoning, "native_tokens_reasoning"),
        output_image_tokens=count(
            row.native_tokens_completion_images, "native_tokens_completion_images"
        ),
    )
    model = text(row.model, "model")
    served_by = text(row.provider_name, "provider_name")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        # With a key of one's own the provider bills the tokens, else OpenRouter does.
        provider=provider_id(served_by) if row.is_byok else "openrouter",
        request_model=model,
        response_model=model,
        operation="embeddings" if row.api_type == "embeddings" else "chat",
        service_tier=text(row.service_tier, "service_tier", 40),
        status="cancelled" if row.cancelled else "ok",
        http_status=http_status(row.http_status, "http_status"),
        finish_reason=text(row.finish_reason, "finish_reason", 80),
        is_stream=row.streamed,
        duration_ms=milliseconds(row.generation_time, "generation_time"),
        ttft_ms=milliseconds(row.latency, "latency") if row.streamed else None,
        reported_cost=cost(row.total_cost, "total_cost"),
        reported_currency="USD",
    )
    app = count(row.app_id, "app_id")
    tags = {
        "app": str(app) if app else "",
        "served_by": served_by,
        "byok": "yes" * bool(row.is_byok),
    }
    return counted(
        item,
        options,
        identity=Identity(response_id=text(row.id, "id")),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        session_id=text(row.session_id, "session_id"),
        user_id=text(row.external_user, "external_user"),
        tags=tuple(sorted((key, value) for key, value in tags.items() if value)),
    )


FORMAT = Format(
    name="openrouter_generation",
    title="OpenRouter generations",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the generation",
    where="answers of GET /api/v1/generation?id=…, one a line or one a file",
    source="OpenRouter's OpenAPI document and SDK",
    recognise=recognise,
    read=read,
)
