"""Vercel AI Gateway's generations: answers of GET /v1/generation."""

from accounting.domain.models_named import provider_in_name
from accounting.domain.naming import provider_id
from accounting.domain.tokens import from_inclusive
from ingest.formats.base import Convention, Item, Options, Outcome, Sample
from ingest.formats.fields import count, text
from ingest.formats.generations import GENERATIONS, outcome_of_generation
from ingest.formats.pages import rows_seen
from ingest.formats.tables import row_format


def recognise(sample: Sample) -> str:
    """Native counts under an id of Vercel's."""
    for each in rows_seen(sample, "data"):
        if "native_tokens_prompt" in each and str(each.get("id", "")).startswith("gen_"):
            return "has native_tokens_prompt under an id gen_…"
    return ""


def _generation(options: Options, item: Item) -> Outcome:
    row = GENERATIONS.decoded(item)
    counts = from_inclusive(  # the prompt includes what was read from and written to a cache
        input_tokens=row.native("prompt"),
        cache_read_input_tokens=row.native("cached"),
        cache_write_input_tokens=row.native("cache_creation"),
        output_tokens=row.native("completion"),
        reasoning_output_tokens=row.native("reasoning"),
        web_search_requests=count(row.billable_web_search_calls, "billable_web_search_calls"),
    )
    served_by = provider_id(text(row.provider_name, "provider_name"))
    return outcome_of_generation(
        row,
        item,
        options,
        counts=counts,
        # The gateway charges what the provider does.
        provider=served_by or provider_in_name(row.model or ""),
        source=FORMAT.name,
        tags=(("byok", "yes"),) if row.is_byok else (),
    )


FORMAT = row_format(
    name="vercel_gateway",
    title="Vercel AI Gateway generations",
    row=_generation,
    recognise=recognise,
    pages=("data",),
    convention=Convention.INCLUSIVE,
    key="id of the generation",
    where="answers of GET /v1/generation?id=…, one a line or one a file",
    source="Vercel's documentation",
)
