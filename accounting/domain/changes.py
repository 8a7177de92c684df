"""What an input changes in the books, as one value that adds up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Self

from accounting.domain.money import plain

REPORTED_KINDS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What an input changes in the books; a second run of the same input changes nothing.

    requests: those that did not fail; errors: those that did. A token kind is None while no record
    of the input reported it. cost, reported_cost: by currency.
    """

    requests: int = 0
    errors: int = 0
    unpriced_requests: int = 0
    input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_write_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_output_tokens: int | None = None
    cost: Mapping[str, Decimal] = field(default_factory=dict)
    reported_cost: Mapping[str, Decimal] = field(default_factory=dict)

    def __add__(self, other: Self) -> "Change":
        kinds = {
            name: _known_sum(getattr(self, name), getattr(other, name)) for name in REPORTED_KINDS
        }
        return Change(
            requests=self.requests + other.requests,
            errors=self.errors + other.errors,
            unpriced_requests=self.unpriced_requests + other.unpriced_requests,
            cost=_sums(self.cost, other.cost),
            reported_cost=_sums(self.reported_cost, other.reported_cost),
            **kinds,
        )

    def as_json(self) -> dict[str, Any]:
        """The change as JSON values: amounts are plain decimal texts."""
        return {
            "requests": self.requests,
            "errors": self.errors,
            **{name: getattr(self, name) for name in REPORTED_KINDS},
            "cost": {currency: plain(value) for currency, value in sorted(self.cost.items())},
            "reported_cost": {
                currency: plain(value) for currency, value in sorted(self.reported_cost.items())
            },
            "unpriced_requests": self.unpriced_requests,
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The change that as_json wrote; of an empty mapping, no change."""
        amounts = {
            name: {currency: Decimal(text) for currency, text in values.get(name, {}).items()}
            for name in ("cost", "reported_cost")
        }
        return cls(**{**values, **amounts})


def _known_sum(one: int | None, two: int | None) -> int | None:
    if one is None or two is None:
        return two if one is None else one
    return one + two


def _sums(one: Mapping[str, Decimal], two: Mapping[str, Decimal]) -> dict[str, Decimal]:
    return {
        currency: one.get(currency, Decimal(0)) + two.get(currency, Decimal(0))
        for currency in sorted({*one, *two})
    }
