"""What one request costs: a plan of units and prices, applied to counts, exactly."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from accounting.domain.errors import BadCountError
from accounting.domain.money import LARGEST_PICOS, quantised
from accounting.domain.plans import Plan, Priced, Tier, priced
from accounting.domain.units import union


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One unit of a bill. unit_price, amount and rate_id are None where no rate covers the unit.

    amount: picos, quantised once. multiplier: the product over stack groups, already in the amount.
    A unit with graduated tiers has a line for each of them.
    """

    unit: str
    quantity: int
    unit_price: Decimal | None = None
    per: int | None = None
    multiplier: Decimal = Decimal(1)
    amount: int | None = None
    rate_id: int | None = None


class Rating(NamedTuple):
    """The price of one request. Amounts are picos of `currency`; the parts add up to the cost.

    state: priced; partial (a priced part and an unpriced or unknown one); assumed (a tier or
    condition nobody prices, at standard); unpriced (cost None, currency ''); free; not_billable.
    provider, model: the canonical names. unpriced_tokens: tokens that no rate covers.
    A tuple, because one is made for every event and a dataclass costs four times as much.
    """

    state: str
    currency: str
    cost: int | None
    cost_input: int | None
    cost_cache_read: int | None
    cost_cache_write: int | None
    cost_output: int | None
    cost_other: int | None
    provider: str
    model: str
    unpriced_tokens: int = 0


@dataclass(slots=True)
class Bill:
    """A plan applied to counts: cost parts as they add up, and what could not be priced."""

    parts: list[int]
    unpriced_parts: int = 0  # bits, in the order of PARTS
    unpriced_tokens: int = 0
    charged: bool = False  # something was used that has a rate
    paid: bool = False  # ... and a price above 0
    unpriced: bool = False
    assumed: bool = False


def bill(plan: Plan, used: dict[str, int], lines: list[Line] | None = None) -> Bill:
    """Apply a plan to what was used, by unit code.

    A unit is charged for its count less the counts of priced units inside it, so a count without a
    price of its own is charged with the nearest unit around it that has one. Raises BadCountError
    where the parts are more than the whole. Lines, if given, receives the lines of each unit used.
    """
    result = Bill([0, 0, 0, 0, 0], assumed=plan.assumed)
    rest = used.copy()
    if plan.crossing:
        _part_overlaps(plan, rest, result)
    for unit in plan.units:
        count = rest.get(unit.unit)
        if not count:
            continue
        if count < 0:
            raise BadCountError(f"the parts of {unit.unit} exceed it by {-count}")
        for holder in unit.holders:
            if holder in rest:
                rest[holder] -= count
        _charge(unit, count, result, lines)
    if not used.keys() <= plan.covered:
        for code in used.keys() - plan.covered:
            _charge(priced(code, None), used[code], result, lines)
    return result


def _charge(unit: Priced, count: int, result: Bill, lines: list[Line] | None) -> None:
    rate = unit.rate
    if rate is None:
        result.unpriced = True
        result.unpriced_parts |= 1 << unit.part
        if unit.counts_tokens:
            result.unpriced_tokens += count
        if lines is not None:
            lines.append(Line(unit=unit.unit, quantity=count))
        return
    for tier, quantity in _shares(unit, count):
        amount = quantity * tier.numerator
        if tier.denominator != 1 or amount > LARGEST_PICOS:
            amount = quantised(amount, tier.denominator)
        result.parts[unit.part] += amount
        result.paid = result.paid or tier.numerator > 0
        if lines is not None:
            lines.append(
                Line(
                    unit=unit.unit,
                    quantity=quantity,
                    unit_price=tier.price,
                    per=rate.per,
                    multiplier=unit.multiplier,
                    amount=amount,
                    rate_id=rate.id,
                )
            )
    result.charged = True


def _shares(unit: Priced, count: int) -> Iterator[tuple[Tier, int]]:
    """The tiers that a count reaches with how much each charges: only the last, or its share each."""
    reached = [tier for tier in unit.tiers if count > tier.above]
    if not unit.is_graduated:
        yield reached[-1], count
        return
    ends = [*(tier.above for tier in reached[1:]), count]
    for tier, end in zip(reached, ends, strict=True):
        yield tier, end - tier.above


def _part_overlaps(plan: Plan, rest: dict[str, int], result: Bill) -> None:
    """Leave tokens that are in two crossing priced units, and have no price of their own, to one.

    The dearer of the two keeps them. Where nobody says how many they are, as few as the counts
    allow are taken, which charges at most too much; the request is marked as assumed.
    """
    used = rest.copy()
    for one, two in plan.crossing:
        joint = union(one, two) or ""
        if not used.get(one) or not used.get(two) or (joint in plan.prices and joint in used):
            continue
        both = used.get(joint)
        if not both:
            together = used[one] + used[two]
            both = max(0, together - used.get(one.partition(".")[0], together))
        result.assumed = True
        cheaper = min(one, two, key=lambda unit: _unit_price(plan.prices[unit]))
        rest[cheaper] -= both


def _unit_price(unit: Priced) -> Fraction:
    first = unit.tiers[0]  # only units with a rate cross each other
    return Fraction(first.numerator, first.denominator)
