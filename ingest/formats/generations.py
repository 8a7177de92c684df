"""A generation as OpenRouter describes it and gateways that copy its interface do."""

from typing import Any

import msgspec

from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Counted, Item, Options
from ingest.formats.calls import counted, http_status
from ingest.formats.fields import NOTHING, Count, Decoder, Exact, cost, count, milliseconds, text
from ingest.formats.moments import Moment, moment
from ingest.formats.openai_usage import state_of


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
    native_tokens_cache_creation: Count = None
    native_tokens_completion_images: Count = None
    billable_web_search_calls: Count = None
    external_user: str | None = None
    session_id: str | None = None
    app_id: Count = None

    def native(self, kind: str) -> int | None:
        """The provider's count of one kind, such as prompt or completion."""
        return count(getattr(self, f"native_tokens_{kind}"), f"native_tokens_{kind}")


GENERATIONS = Decoder(Generation, {"native_tokens_prompt": 1, "native_tokens_completion": 1})


def outcome_of_generation(
    row: Generation,
    item: Item,
    options: Options,
    *,
    counts: TokenCounts,
    provider: str,
    source: str,
    **where: Any,
) -> Counted:
    """The generation as one record. where: the fields of Place that only this gateway knows."""
    model = text(row.model, "model")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=source,
        provider=provider,
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
    return counted(
        item,
        options,
        identity=Identity(response_id=text(row.id, "id")),
        use=use,
        started_at=moment(row.created_at, "created_at", naive_is_utc=True),
        **where,
    )
