"""Vercel AI Gateway's generations: answers of GET /v1/generation."""

from collections.abc import Iterable, Iterator
from functools import partial

import msgspec

from accounting.domain.models_named import provider_in_name
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
from ingest.formats.calls import counted
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
    """One generation; its prompt includes what was read from and written to a cache."""

    id: str
    created_at: Moment = None
    model: str | None = None
    provider_name: str | None = None
    streamed: bool | None = None
    is_byok: bool | None = None
    finish_reason: str | None = None
    total_cost: Exact = NOTHING
    latency: Count = None
    generation_time: Count = None
    native_tokens_prompt: Count = None
    native_tokens_completion: Count = None
    native_tokens_reasoning: Count = None
    native_tokens_cached: Count = None
    native_tokens_cache_creation: Count = None
    billable_web_search_calls: Count = None


_DECODER = Decoder(Generation, {"native_tokens_prompt": 1, "native_tokens_completion": 1})


def recognise(sample: Sample) -> str:
    """Native counts under an id of Vercel's."""
    for each in rows_seen(sample, "data"):
        if "native_tokens_prompt" in each and str(each.get("id", "")).startswith("gen_"):
            return "has native_tokens_prompt under an id gen_…"
    return ""


def read(items: Iterable[Item], options: Options, _state: State) -> Iterator[Outcome]:
    """One outcome for each generation."""
    return outcomes(row_items(items, "data"), partial(_generation, options))


def _generation(options: Options, item: Item) -> Outcome:
    row = _DECODER.decoded(item)
    counts = from_inclusive(
        input_tokens=count(row.native_tokens_prompt, "native_tokens_prompt"),
        cache_read_input_tokens=count(row.native_tokens_cached, "native_tokens_cached"),
        cache_write_input_tokens=count(
            row.native_tokens_cache_creation, "native_tokens_cache_creation"
        ),
        output_tokens=count(row.native_tokens_completion, "native_tokens_completion"),
        reasoning_output_tokens=count(row.native_tokens_reasoning, "native_tokens_reasoning"),
        web_search_requests=count(row.billable_web_search_calls, "billable_web_search_calls"),
    )
    model = text(row.model, "model")
    use = Use(
        counts=counts,
        usage_state=state_of(counts),
        source=FORMAT.name,
        # The gateway charges what the provider does.
        provider=provider_id(text(row.provider_name, "provider_name")) or provider_in_name(model),
        request_model=model,
        response_model=model,
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
        tags=(("byok", "yes"),) if row.is_byok else (),
    )


FORMAT = Format(
    name="vercel_gateway",
    title="Vercel AI Gateway generations",
    unit=Unit.JSON,
    scope=Scope.RECORD,
    convention=Convention.INCLUSIVE,
    key="id of the generation",
    where="answers of GET /v1/generation?id=…, one a line or one a file",
    source="Vercel's documentation",
    recognise=recognise,
    read=read,
)
