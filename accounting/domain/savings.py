"""What a prompt cache saved: what its tokens would have cost as plain input, against what they did."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Self

from accounting.domain.money import EXACT

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheCost:
    """Tokens read from and written to a cache, in one currency.

    at_input: what they would have cost at the model's price of plain input; paid: what they cost.
    unpriced_tokens: reads and writes that no such price is known for; they are in nothing else.
    """

    read_tokens: int = 0
    read_at_input: Decimal = _ZERO
    read_paid: Decimal = _ZERO
    written_tokens: int = 0
    written_at_input: Decimal = _ZERO
    written_paid: Decimal = _ZERO
    unpriced_tokens: int = 0

    def __add__(self, other: Self) -> "CacheCost":
        return CacheCost(
            read_tokens=self.read_tokens + other.read_tokens,
            read_at_input=EXACT.add(self.read_at_input, other.read_at_input),
            read_paid=EXACT.add(self.read_paid, other.read_paid),
            written_tokens=self.written_tokens + other.written_tokens,
            written_at_input=EXACT.add(self.written_at_input, other.written_at_input),
            written_paid=EXACT.add(self.written_paid, other.written_paid),
            unpriced_tokens=self.unpriced_tokens + other.unpriced_tokens,
        )

    @property
    def saved(self) -> Decimal:
        """What reading from the cache saved."""
        return EXACT.subtract(self.read_at_input, self.read_paid)

    @property
    def write_premium(self) -> Decimal:
        """What writing to it cost more than plain input would have."""
        return EXACT.subtract(self.written_paid, self.written_at_input)

    @property
    def net(self) -> Decimal:
        """Saved less the premium; negative where the cache cost more than it saved."""
        return EXACT.subtract(self.saved, self.write_premium)

    @property
    def reads_per_write(self) -> Fraction | None:
        """How often each written token was read; None where none was written."""
        return Fraction(self.read_tokens, self.written_tokens) if self.written_tokens else None

    @property
    def break_even(self) -> Fraction | None:
        """The reads per written token from which on the cache saves money, at these prices.

        0 where writing costs nothing more; None where nothing was written, or reading saves nothing.
        """
        if not self.written_tokens:
            return None
        if self.write_premium <= 0:
            return Fraction(0)
        if not self.read_tokens or self.saved <= 0:
            return None
        premium = Fraction(self.write_premium) / self.written_tokens
        return premium / (Fraction(self.saved) / self.read_tokens)
