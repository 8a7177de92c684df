"""OpenRouter's activity export: a CSV with one generation a row."""

from accounting.domain.naming import provider_id
from accounting.domain.usage import Identity, Use
from ingest.formats.base import Convention, Item, Options, Outcome, Unit
from ingest.formats.calls import counted
from ingest.formats.cells import flag, is_set, row_json
from ingest.formats.fields import cost, milliseconds, text
from ingest.formats.moments import moment
from ingest.formats.openai_usage import state_of
from ingest.formats.openrouter_rows import ROWS, counts_of
from ingest.formats.tables import row_format


def _row(options: Options, item: Item) -> Outcome:
    row = ROWS.of(row_json(item))
    counts = counts_of(row)
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
