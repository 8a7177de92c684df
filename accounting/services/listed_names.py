"""The names in the built-in list: of its models, and of the units its prices are for."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from accounting.domain.shelves import Alias
from accounting.domain.units import UNITS


def aliases_of(providers: Sequence[Any]) -> Iterator[Alias]:
    """Names the package spells out for a model, each under the provider that uses it.

    A provider that sells another's models at their prices (Azure those of OpenAI) has their names
    too: the list says so itself, with the providers to fall back on.
    """
    by_id = {provider.id: provider for provider in providers}
    for provider in providers:
        taken = {model.id.lower() for model in provider.models}
        for seller in (provider.id, *(provider.fallback_model_providers or ())):
            for model in by_id[seller].models:
                for name in dict.fromkeys((model.id.lower(), *_literals(model.match))):
                    first = by_id[seller].find_model(name)
                    if name in taken or first is None or first.id != model.id:
                        continue
                    taken.add(name)
                    yield Alias(
                        provider=provider.id, alias=name, model_provider=seller, model=model.id
                    )


def _literals(match: Any) -> Iterator[str]:
    """The whole names in a model's match rules; its patterns are not followed."""
    for field in ("equals", "starts_with", "ends_with", "contains"):
        text = getattr(match, field, None)
        if text:
            yield text.lower().strip("-@/:.")
    for clause in getattr(match, "or_", ()):
        yield from _literals(clause)


@cache
def unit_of_price_key() -> dict[str, tuple[str, int]]:
    """Each price key of the package -> our unit with the same dimensions, and what it is per."""
    from genai_prices.data_units import unit_data  # noqa: PLC0415

    by_dimensions = {unit.dimensions: code for code, unit in UNITS.items()}
    found = {}
    for unit in unit_data.values():
        code = by_dimensions.get(frozenset(unit["dimensions"].items()))
        if code is not None:
            found[unit["price_key"]] = (code, unit["per"])
    return found
