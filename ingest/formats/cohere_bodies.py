"""An answer of Cohere's: chat, embed or rerank; what counts is what is billed, not what was tokenised."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from accounting.domain.naming import provider_id
from accounting.domain.tokens import TokenCounts, from_inclusive
from accounting.domain.usage import NOTHING_REPORTED, Use
from ingest.formats.base import Item, Outcome
from ingest.formats.body_reading import Family, Reading, usage_of
from ingest.formats.calls import counted
from ingest.formats.fields import Count, Decoder, count, known_sum, text
from ingest.formats.openai_usage import state_of

_WATCHED = {"billed_units": 1, "input_tokens": 2, "output_tokens": 2}


class Billed(msgspec.Struct):
    """The billed units; images stand beside the text."""

    input_tokens: Count = None
    output_tokens: Count = None
    image_tokens: Count = None
    search_units: Count = None
    classifications: Count = None


class Usage(msgspec.Struct):
    """`usage` of the second interface, `meta` of the first. cached_tokens are of the raw tokens."""

    billed_units: Billed | None = None


class Body(msgspec.Struct):
    """An answer of either interface, or of a stream's end."""

    id: str | None = None
    generation_id: str | None = None
    model: str | None = None
    finish_reason: str | None = None
    usage: Usage | None = None
    meta: Usage | None = None

    @property
    def billed(self) -> Billed | None:
        """The billed units, wherever they stand."""
        found = self.usage or self.meta
        return found.billed_units if found else None


DECODER = Decoder(Body, _WATCHED)


def fits(body: Mapping[str, object]) -> bool:
    """A body with billed units."""
    meta = body.get("meta")
    return "billed_units" in usage_of(body) or (isinstance(meta, dict) and "billed_units" in meta)


def read(item: Item, reading: Reading) -> Outcome:
    """One answer."""
    return outcome(DECODER.decoded(item), item, reading)


def outcome(body: Body, item: Item, reading: Reading, *, is_stream: bool | None = None) -> Outcome:
    """One answer, put together."""
    options, billed = reading.options, body.billed
    model = text(body.model, "model")
    response_id = text(body.generation_id or body.id, "id")
    searches = billed is not None and billed.search_units is not None
    embeds = billed is not None and billed.output_tokens is None and not searches
    counts = NOTHING_REPORTED if billed is None else counts_of(billed)
    if embeds:
        counts = replace(counts, output_tokens=0)  # embeddings make no tokens
    use = Use(
        counts=counts,
        usage_state="reported" if searches else state_of(counts),
        source=reading.source,
        provider=provider_id(options.provider or "cohere"),
        request_model=model or options.model,
        response_model=model,
        operation="rerank" if searches else "embeddings" if embeds else "chat",
        status="ok" if billed is not None or not is_stream else "cancelled",
        finish_reason=text(body.finish_reason, "finish_reason", 80),
        is_stream=is_stream,
    )
    return counted(
        item,
        options,
        identity=reading.identity(item, response_id=response_id),
        use=use,
        started_at=None,
    )


def counts_of(billed: Billed) -> TokenCounts:
    """Inclusive counts; a search or a classification is a unit of its own."""
    words = count(billed.input_tokens, "billed_units.input_tokens")
    images = count(billed.image_tokens, "billed_units.image_tokens")
    units = {
        name: count(getattr(billed, name), f"billed_units.{name}")
        for name in ("search_units", "classifications")
    }
    return from_inclusive(
        input_tokens=known_sum(words, images),
        input_image_tokens=images,
        output_tokens=count(billed.output_tokens, "billed_units.output_tokens"),
        other_units=tuple((name, n) for name, n in units.items() if n),
    )


FAMILY = Family(name="Cohere answer", fits=fits, read=read)
