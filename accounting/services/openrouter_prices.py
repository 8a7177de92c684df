"""OpenRouter's models API, and lists of its shape, as rows. Its prices are texts, for one token."""

from collections.abc import Mapping
from datetime import time
from decimal import Decimal
from typing import Any

from accounting.domain.errors import BadRateError
from accounting.domain.money import EXACT
from accounting.domain.naming import provider_id
from accounting.domain.rates import Window
from accounting.services.price_feeds import ALWAYS, ONE, Collected, Named, When, number, whole

NAME = "openrouter"
UNIT_OF_KEY = {
    "prompt": "input",
    "completion": "output",
    "input_cache_read": "input.cache_read",
    "input_cache_write": "input.cache_write",
    "input_cache_write_1h": "input.cache_write.1h",
    "image_token": "input.image",
    "image_output": "output.image",
    "audio": "input.audio",
    "audio_output": "output.audio",
    "input_audio_cache": "input.cache_read.audio",
    "internal_reasoning": "output.reasoning",
    "web_search": "web_searches",
    "request": "requests",
}
#: A price of 0 says of these that they are free, of all others that they are not charged apart.
_FREE_AT_ZERO = frozenset({"prompt", "completion", "input_cache_read", "input_cache_write"})
_DESCRIBES = frozenset({"unit", "currency", "discount", "overrides"})
_CONDITIONS = frozenset({"min_prompt_tokens", "utc_start", "utc_end"})
#: What a list may say its prices are for -> how many tokens.
_TOKENS_OF_UNIT = {
    "per_token": 1,
    "per_1k_tokens": 1_000,
    "per_1m_tokens": 1_000_000,
    "per_million_tokens": 1_000_000,
}


def is_models_list(found: Any) -> bool:
    """Whether JSON is a list of models with pricing, or an object with one under data."""
    models = _models(found)
    return bool(models) and any(isinstance(one.get("pricing"), Mapping) for one in models)


def read_models_list(found: Any, collected: Collected) -> None:
    """Take every price; a model whose prices are for nobody knows how much is left out."""
    for entry in _models(found):
        pricing = entry.get("pricing")
        written = str(entry.get("id") or entry.get("model") or "").strip()
        if not written or not isinstance(pricing, Mapping):
            collected.leave_out("a model without a name or pricing", written)
            continue
        try:
            _read_entry(entry, written, pricing, collected)
        except BadRateError as error:
            collected.leave_out(str(error), written)


def _models(found: Any) -> list[Mapping[str, Any]]:
    models = found.get("data") if isinstance(found, Mapping) else found
    return [one for one in models if isinstance(one, Mapping)] if isinstance(models, list) else []


def _read_entry(
    entry: Mapping[str, Any], written: str, pricing: Mapping[str, Any], collected: Collected
) -> None:
    unit, currency = (pricing.get(name) or entry.get(name) for name in ("unit", "currency"))
    # Only the API itself may leave the unit out: there it is a token.
    tokens = 1 if unit is None and "id" in entry else _TOKENS_OF_UNIT.get(str(unit))
    if tokens is None:
        raise BadRateError(f"prices for unit {unit!r}")
    provider = str(entry.get("provider") or (NAME if "id" in entry else ""))
    named = Named(provider=provider_id(provider), model=written)
    reader = _Reader(named, tokens, str(currency or "USD").upper(), collected)
    reader.read(pricing, ALWAYS)
    overrides = pricing.get("overrides") or ()
    for place, override in enumerate(overrides if isinstance(overrides, list) else ()):
        # Of several that hold the later one wins, price by price.
        reader.read(override, _when(override, place + 1))
    discount = number(pricing.get("discount") or 0)
    if discount:
        if discount > ONE:
            raise BadRateError("a discount of more than everything")
        collected.factor(named, ONE - discount, "discount", reader.currency)


class _Reader:
    """Prices of one model of the list."""

    def __init__(self, named: Named, tokens: int, currency: str, collected: Collected) -> None:
        self.named, self.tokens, self.currency = named, tokens, currency
        self.collected = collected

    def read(self, pricing: Mapping[str, Any], when: When) -> None:
        """Take the prices of one object."""
        for key, value in pricing.items():
            if key in _DESCRIBES or key in _CONDITIONS or value is None:
                continue
            if str(value).startswith("-"):
                raise BadRateError("a price that depends on the route")
            price = number(value)
            if not price and key not in _FREE_AT_ZERO:
                continue
            unit = UNIT_OF_KEY.get(key)
            if unit is None:
                self.collected.leave_out(key, self.named.model)
                continue
            self.collected.price(self.named, unit, self._of_one(unit, price), when, self.currency)

    def _of_one(self, unit: str, price: Decimal) -> Decimal:
        is_token = unit.startswith(("input", "output"))
        return price.scaleb(1 - len(str(self.tokens)), EXACT) if is_token else price


def _when(override: Any, priority: int) -> When:
    if not isinstance(override, Mapping):
        raise BadRateError("an override that is no object")
    least = override.get("min_prompt_tokens")
    window = None
    if override.get("utc_start") or override.get("utc_end"):
        window = Window(
            zone="UTC", start=_clock(override["utc_start"]), end=_clock(override["utc_end"])
        )
    return When(
        input_gt=max(0, whole(least) - 1) if least is not None else None,
        window=window,
        priority=priority,
    )


def _clock(written: Any) -> time:
    try:
        return time.fromisoformat(str(written)).replace(tzinfo=None)
    except ValueError:
        raise BadRateError(f"{str(written)[:40]!r} is no time of day") from None
