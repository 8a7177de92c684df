"""new-api's and one-api's ratios as rows: a model ratio of 1 is 2 USD per million input tokens."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from accounting.domain.errors import BadRateError
from accounting.domain.money import EXACT
from accounting.services.price_feeds import Collected, Named, number

NAME = "new-api"
#: USD per token at a model ratio of 1.
RATIO_PRICE = Decimal("0.000002")
#: Each map of ratios -> (the unit it prices, the map its ratio is taken of).
RATIOS = {
    "completion_ratio": ("output", "model_ratio"),
    "cache_ratio": ("input.cache_read", "model_ratio"),
    "create_cache_ratio": ("input.cache_write", "model_ratio"),
    "image_ratio": ("input.image", "model_ratio"),
    "audio_ratio": ("input.audio", "model_ratio"),
    "audio_completion_ratio": ("output.audio", "audio_ratio"),
}
_KNOWN = {"model_ratio", "model_price", *RATIOS}
#: The names of one-api's options.
_SPELLINGS = {"".join(part.title() for part in name.split("_")): name for name in _KNOWN}
_PRICE_WORDS = ("ratio", "price", "expr", "billing")


def is_ratios(found: Any) -> bool:
    """Whether JSON is ratios by kind and model, or new-api's price page as a list of models."""
    return bool(_maps(found).get("model_ratio") or _maps(found).get("model_price"))


def read_ratios(found: Any, collected: Collected) -> None:
    """Take every ratio of every model, whoever provides it: the gateway does not say."""
    maps = _maps(found)
    for kind, by_model in maps.items():
        if kind not in _KNOWN:
            for model in by_model:
                collected.leave_out(kind, model)
    prices, ratios = maps.get("model_price", {}), maps.get("model_ratio", {})
    for model in sorted({*prices, *ratios}):
        named = Named(provider="", model=model)
        try:
            if model in prices:
                collected.price(named, "requests", number(prices[model]))
            else:
                _read_model(named, maps, collected)
        except BadRateError as error:
            collected.leave_out(str(error), model)


def _read_model(named: Named, maps: Mapping[str, Mapping[str, Any]], collected: Collected) -> None:
    base = number(maps["model_ratio"][named.model])
    collected.price(named, "input", EXACT.multiply(RATIO_PRICE, base))
    for kind, (unit, _) in RATIOS.items():
        ratio = maps.get(kind, {}).get(named.model)
        if ratio is not None:
            factor = EXACT.multiply(number(ratio), _base(named.model, kind, maps))
            collected.price(named, unit, EXACT.multiply(RATIO_PRICE, factor))
        elif kind == "completion_ratio":
            # The gateway's program has defaults by name, which its settings do not say.
            collected.leave_out("output: no completion_ratio", named.model)


def _base(model: str, kind: str, maps: Mapping[str, Mapping[str, Any]]) -> Decimal:
    """The ratio that another one is taken of."""
    whole = number(maps["model_ratio"][model])
    of = RATIOS[kind][1]
    if of == "model_ratio":
        return whole
    return EXACT.multiply(whole, number(maps.get(of, {}).get(model, 1)))


def _maps(found: Any) -> dict[str, dict[str, Any]]:
    if not isinstance(found, Mapping):
        return {}
    data = found.get("data", found)
    if isinstance(data, list):
        return _maps_of_list(data)
    if not isinstance(data, Mapping):
        return {}
    return {
        _SPELLINGS.get(str(kind), str(kind)): dict(by_model)
        for kind, by_model in data.items()
        if isinstance(by_model, Mapping)
    }


def _maps_of_list(models: list[Any]) -> dict[str, dict[str, Any]]:
    """The price page's list; there a ratio of 0 says that a price is for the request."""
    maps: dict[str, dict[str, Any]] = {}
    for entry in models:
        if not isinstance(entry, Mapping) or not isinstance(entry.get("model_name"), str):
            continue
        is_for_request = str(entry.get("quota_type")) == "1"
        skipped = {"model_ratio", *RATIOS} if is_for_request else {"model_price"}
        for kind, value in entry.items():
            is_price = any(word in kind for word in _PRICE_WORDS)
            if is_price and kind not in skipped and value not in (None, "", "0"):
                maps.setdefault(kind, {})[entry["model_name"]] = value
    return maps
