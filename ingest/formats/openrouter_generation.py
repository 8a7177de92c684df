"""OpenRouter's generation objects: one answer of GET /api/v1/generation, or lines of them."""

from accounting.domain.naming import provider_id
from accounting.domain.tokens import from_inclusive
from ingest.formats.base import Convention, Item, Options, Outcome, Sample
from ingest.formats.fields import count, text
from ingest.formats.generations import GENERATIONS, outcome_of_generation
from ingest.formats.pages import rows_seen
from ingest.formats.tables import row_format


def recognise(sample: Sample) -> str:
    """Native counts under an id of OpenRouter's."""
    for each in rows_seen(sample, "data"):
        if "native_tokens_prompt" in each and not str(each.get("id", "")).startswith("gen_"):
            return "has generations with native_tokens_prompt"
    return ""


def _generation(options: Options, item: Item) -> Outcome:
    row = GENERATIONS.decoded(item)
    cached = row.native("cached")
    counts = from_inclusive(
        input_tokens=row.native("prompt"),
        cache_read_input_tokens=cached,
        # Cached tokens are itemised, writes are not: there were none to bill.
        cache_write_input_tokens=None if cached is None else 0,
        output_tokens=row.native("completion"),
        reasoning_output_tokens=row.native("reasoning"),
        output_image_tokens=row.native("completion_images"),
    )
    served_by = text(row.provider_name, "provider_name")
    app = count(row.app_id, "app_id")
    tags = {"app": str(app) if app else "", "byok": "yes" * bool(row.is_byok)}
    return outcome_of_generation(
        row,
        item,
        options,
        counts=counts,
        # With a key of one's own the provider bills the tokens, else OpenRouter does.
        provider=provider_id(served_by) if row.is_byok else "openrouter",
        source=FORMAT.name,
        session_id=text(row.session_id, "session_id"),
        user_id=text(row.external_user, "external_user"),
        tags=tuple((k, v) for k, v in (tags | {"served_by": served_by}).items() if v),
    )


FORMAT = row_format(
    name="openrouter_generation",
    title="OpenRouter generations",
    row=_generation,
    recognise=recognise,
    pages=("data",),
    convention=Convention.INCLUSIVE,
    key="id of the generation",
    where="answers of GET /api/v1/generation?id=…, one a line or one a file",
    source="OpenRouter's OpenAPI document and SDK",
)
