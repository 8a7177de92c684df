"""Money as credits and back, and what a number of credits buys.

Amounts are picos; a credit amount is picos of a credit. Prices are Decimals per credit or per
million tokens. Every function is exact until its single rounding.
"""

from dataclasses import dataclass
from decimal import Decimal, localcontext

from accounting.domain.money import EXACT, PICO, quantised
from accounting.domain.units import MTOK


def credits_for(cost: int, price: Decimal) -> int:
    """The credits, in picos, that a cost in picos comes to when one credit costs `price`.

    Where the division does not end it is rounded half-even at 10^-12 of a credit.
    """
    numerator, denominator = price.as_integer_ratio()
    return quantised(cost * denominator, numerator)


def money_for(amount: int, price: Decimal) -> int:
    """What a number of credits, in picos, costs in picos; also any amount at an exchange rate."""
    numerator, denominator = price.as_integer_ratio()
    return quantised(amount * numerator, denominator)


def tokens_for(money: int, price_per_mtok: Decimal) -> int | None:
    """The whole tokens of one kind that an amount in picos buys; None where they are free."""
    numerator, denominator = price_per_mtok.as_integer_ratio()
    if not numerator:
        return None
    return money * denominator * MTOK // (numerator * PICO)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """How requests use tokens: shares of input that are read from or written to a cache, and output.

    Ratios of sums over a window, never means of ratios. output_per_input is tokens per input token.
    """

    cached_share: Decimal = Decimal(0)
    written_share: Decimal = Decimal(0)
    output_per_input: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices per million tokens of the four kinds, in one currency."""

    input: Decimal
    cached: Decimal
    output: Decimal
    written: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """Whole tokens an amount buys at a mix; blended_price is per million input tokens."""

    input_tokens: int
    output_tokens: int
    blended_price: Decimal


def blended_price(prices: Prices, mix: Mix) -> Decimal:
    """The price of a million input tokens together with the output that comes with them."""
    with localcontext(EXACT):
        fresh = 1 - mix.cached_share - mix.written_share
        return (
            fresh * prices.input
            + mix.cached_share * prices.cached
            + mix.written_share * prices.written
            + mix.output_per_input * prices.output
        )


def tokens_at_mix(money: int, prices: Prices, mix: Mix) -> Bought | None:
    """The whole input tokens, and their output, that an amount in picos buys; None where free."""
    price = blended_price(prices, mix)
    count = tokens_for(money, price)
    if count is None:
        return None
    numerator, denominator = mix.output_per_input.as_integer_ratio()
    return Bought(
        input_tokens=count,
        output_tokens=count * numerator // denominator,
        blended_price=price,
    )
