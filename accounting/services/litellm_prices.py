"""LiteLLM's model map as rows: its 175 cost keys are 30 prices × context bands × service tiers."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from accounting.domain.errors import BadRateError
from accounting.domain.naming import provider_id
from accounting.domain.rates import Conditions
from accounting.services.price_feeds import Collected, Named, When, entries, number, whole

NAME = "litellm"
#: LiteLLM's key without band and tier -> our unit; the price is for one of it.
UNIT_OF_KEY = {
    "input_cost_per_token": "input",
    "output_cost_per_token": "output",
    "cache_read_input_token_cost": "input.cache_read",
    "cache_creation_input_token_cost": "input.cache_write",
    "cache_creation_input_token_cost_above_1hr": "input.cache_write.1h",
    "input_cost_per_audio_token": "input.audio",
    "input_cost_per_image_token": "input.image",
    "input_cost_per_video_token": "input.video",
    "cache_read_input_audio_token_cost": "input.cache_read.audio",
    "cache_read_input_image_token_cost": "input.cache_read.image",
    "cache_creation_input_audio_token_cost": "input.cache_write.audio",
    "output_cost_per_audio_token": "output.audio",
    "output_cost_per_image_token": "output.image",
    "output_cost_per_video_token": "output.video",
    "output_cost_per_reasoning_token": "output.reasoning",
    "citation_cost_per_token": "output.citation",
    "input_cost_per_request": "requests",
    "input_cost_per_character": "input_characters",
    "input_cost_per_text_message": "input_text_messages",
    "input_cost_per_audio_per_second": "input_audio_seconds",
    "input_cost_per_pixel": "input_pixels",
    "ocr_cost_per_page": "input_document_pages",
    "annotation_cost_per_page": "input_annotated_document_pages",
}
#: Keys whose unit depends on the model's mode.
UNIT_OF_MODE = {
    ("input_cost_per_query", "rerank"): "rerank_searches",
    ("input_cost_per_second", "audio_transcription"): "input_audio_seconds",
    ("output_cost_per_second", "audio_speech"): "output_audio_seconds",
}
_TIERS: dict[str, Conditions] = {
    "": (),
    "batches": (("processing", "batch"),),
    **{
        tier: (("service_tier", tier),)
        for tier in ("flex", "priority", "balanced", "ultrafast", "decisions")
    },
}
_KEY = re.compile(
    r"(?P<base>.+?)(?:_above_(?P<thousands>\d{1,6})k_tokens)?"
    r"(?:_(?P<tier>batches|flex|priority|balanced|ultrafast|decisions))?"
)
#: Keys that decide what is paid; all others describe the model.
_PRICES = re.compile(r"cost|pric|multiplier|search_free|billing_unit|provider_specific_entry")
#: LiteLLM compares with >= for these providers, with > for all others.
_INCLUSIVE = frozenset({"x-ai"})
_SEARCH = "search_context_cost_per_query"
#: An older spelling of the price of cache reads.
_CACHE_HIT = "input_cost_per_token_cache_hit"


def is_model_map(found: Any) -> bool:
    """Whether JSON is a model map: objects by model, with litellm_provider."""
    return isinstance(found, Mapping) and any(
        "litellm_provider" in entry and name != "sample_spec" for name, entry in entries(found)
    )


def read_model_map(found: Any, collected: Collected) -> None:
    """Take every price of the map. A model of several spellings is read under its plain one."""
    taken: dict[Named, str] = {}
    for written, entry in sorted(entries(found), key=lambda item: (item[0].count("/"), item[0])):
        if written == "sample_spec":
            continue
        named = _named(written, str(entry.get("litellm_provider") or ""))
        if named in taken:
            if _prices(entry) != _prices(found[taken[named]]):
                collected.leave_out("another spelling with other prices", written)
            continue
        taken[named] = written
        _read_entry(named, entry, collected)


def _named(written: str, provider: str) -> Named:
    known = provider_id(provider.partition("-")[0] if provider.startswith("vertex") else provider)
    head, slash, rest = written.partition("/")
    if slash and (head == provider or provider_id(head) == known):
        written = rest
    return Named(provider=known, model=written)


def _prices(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if _PRICES.search(key)}


def _read_entry(named: Named, entry: Mapping[str, Any], collected: Collected) -> None:
    for key, value in _prices(entry).items():
        if value is None:
            continue
        try:
            if key == _SEARCH:
                _read_search(named, value, collected)
            elif key == "tiered_pricing":
                _read_bands(named, value, collected)
            elif key == _CACHE_HIT:
                if "cache_read_input_token_cost" not in entry:
                    collected.price(named, "input.cache_read", number(value))
            elif not _read_key(named, key, value, str(entry.get("mode") or ""), collected):
                collected.leave_out(key, named.model)
        except BadRateError as error:
            collected.leave_out(f"{key}: {error}", named.model)


def _read_key(named: Named, key: str, value: Any, mode: str, collected: Collected) -> bool:
    found = _KEY.fullmatch(key)
    if found is None:
        return False
    unit = UNIT_OF_KEY.get(found["base"]) or UNIT_OF_MODE.get((found["base"], mode))
    if unit is None:
        return False
    above = int(found["thousands"]) * 1_000 if found["thousands"] else None
    if above is not None and named.provider in _INCLUSIVE:
        above -= 1
    when = When(conditions=_TIERS[found["tier"] or ""], input_gt=above)
    collected.price(named, unit, number(value), when)
    return True


def _read_bands(named: Named, bands: Any, collected: Collected) -> None:
    """Bands of the whole input, each from more than its start on."""
    for band in bands if isinstance(bands, list) else ():
        start = whole(band["range"][0]) if isinstance(band.get("range"), list) else None
        if start is None:
            raise BadRateError("a band without a range")
        for key, value in band.items():
            unit = UNIT_OF_KEY.get(key)
            if unit:
                collected.price(named, unit, number(value), When(input_gt=start or None))
            elif key != "range":
                collected.leave_out(f"tiered_pricing {key}", named.model)


def _read_search(named: Named, sizes: Any, collected: Collected) -> None:
    """The price of a search, where it is the same for every size of its context."""
    prices: set[Decimal] = {number(price) for price in dict(sizes).values()}
    if len(prices) == 1:
        collected.price(named, "web_searches", prices.pop())
    elif prices:
        raise BadRateError("it depends on the size of the search context")
