"""What one request costs: a plan of units and prices, applied to counts, exactly.

A plan is what a model's rates come to under fixed conditions: for each priced unit its rate, its
factor and the priced units inside it. Everything that takes thought is done when the plan is made;
applying one to a request is a few multiplications of integers.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import gcd

from accounting.domain.errors import BadCountError
from accounting.domain.money import EXACT, LARGEST_PICOS, PICO, quantised
from accounting.domain.rates import Rate
from accounting.domain.units import (
    INPUT,
    OUTPUT,
    PARTS,
    REQUESTS,
    UNITS,
    contains,
    is_token,
    part_of_cost,
    union,
)

_PART_INDEX = {part: index for index, part in enumerate(PARTS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One unit of a bill. unit_price, amount and rate_id are None where no rate covers the unit.

    amount: picos, quantised once. multiplier: the product over stack groups, already in the amount.
    """

    unit: str
    quantity: int
    unit_price: Decimal | None = None
    per: int | None = None
    multiplier: Decimal = Decimal(1)
    amount: int | None = None
    rate_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The price of one request. Amounts are picos of `currency`; the parts add up to the cost.

    state: priced; partial (a priced part and an unpriced or unknown one); assumed (a tier or
    condition nobody prices, at standard); unpriced (cost None, currency ''); free; not_billable.
    provider, model: the canonical names. unpriced_tokens: tokens that no rate covers.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """A unit with its rate, or without one, and where its charges go.

    holders: priced units around it, which must not charge its tokens again.
    amount = quantity × numerator / denominator picos.
    """

    unit: str
    rate: Rate | None
    multiplier: Decimal
    holders: tuple[str, ...]
    numerator: int
    denominator: int
    part: int
    counts_tokens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The prices of one model under fixed conditions, inner units before those that hold them.

    crossing: pairs of priced units of which neither holds the other though a token may be in both.
    covered: units whose use is charged, or noted as unpriced, with a unit of the plan.
    """

    currency: str
    units: tuple[Priced, ...]
    assumed: bool
    crossing: tuple[tuple[str, str], ...]
    prices: dict[str, Priced]
    covered: frozenset[str]


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


def plan_of(rates: dict[str, tuple[Rate, Decimal]], currency: str, *, assumed: bool) -> Plan:
    """A plan from the rate and the factor that apply to each priced unit."""
    ordered = sorted(rates, key=lambda unit: (-_depth(unit), unit))
    ordered += [root for root in (INPUT, OUTPUT) if root not in rates]
    units = []
    for unit in ordered:
        rate, multiplier = rates.get(unit, (None, Decimal(1)))
        holders = tuple(other for other in ordered if other != unit and contains(other, unit))
        units.append(_priced(unit, rate, multiplier, holders))
    crossing = tuple(
        (one, two)
        for index, one in enumerate(ordered)
        for two in ordered[index + 1 :]
        if not contains(one, two) and not contains(two, one) and _may_cross(one, two)
    )
    prices = {priced.unit: priced for priced in units}
    return Plan(
        currency=currency,
        units=tuple(units),
        assumed=assumed,
        crossing=crossing,
        prices=prices,
        # A request is nothing to be priced where no rate asks for it.
        covered=frozenset(unit for unit in UNITS if any(contains(whole, unit) for whole in prices))
        | {REQUESTS},
    )


def bill(plan: Plan, used: dict[str, int], lines: list[Line] | None = None) -> Bill:
    """Apply a plan to what was used, by unit code.

    A unit is charged for its count less the counts of priced units inside it, so a count without a
    price of its own is charged with the nearest unit around it that has one. Raises BadCountError
    where the parts are more than the whole. Lines, if given, receives one line for each unit used.
    """
    result = Bill([0, 0, 0, 0, 0], assumed=plan.assumed)
    rest = used.copy()
    if plan.crossing:
        _part_overlaps(plan, rest, result)
    for priced in plan.units:
        count = rest.get(priced.unit)
        if not count:
            continue
        if count < 0:
            raise BadCountError(f"the parts of {priced.unit} exceed it by {-count}")
        for holder in priced.holders:
            if holder in rest:
                rest[holder] -= count
        _charge(priced, count, result, lines)
    if not used.keys() <= plan.covered:
        for unit in used.keys() - plan.covered:
            _charge(_priced(unit, None, Decimal(1), ()), used[unit], result, lines)
    return result


def _charge(priced: Priced, count: int, result: Bill, lines: list[Line] | None) -> None:
    if priced.rate is None:
        result.unpriced = True
        result.unpriced_parts |= 1 << priced.part
        if priced.counts_tokens:
            result.unpriced_tokens += count
        if lines is not None:
            lines.append(Line(unit=priced.unit, quantity=count))
        return
    amount = count * priced.numerator
    if priced.denominator != 1 or amount > LARGEST_PICOS:
        amount = quantised(amount, priced.denominator)
    result.parts[priced.part] += amount
    result.charged = True
    result.paid = result.paid or priced.numerator > 0
    if lines is not None:
        lines.append(
            Line(
                unit=priced.unit,
                quantity=count,
                unit_price=priced.rate.price,
                per=priced.rate.per,
                multiplier=priced.multiplier,
                amount=amount,
                rate_id=priced.rate.id,
            )
        )


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
        both = used.get(joint, 0)
        if not both:
            together = used[one] + used[two]
            both = max(0, together - used.get(one.partition(".")[0], together))
        result.assumed = True
        cheaper = min(one, two, key=lambda unit: _unit_price(plan.prices[unit]))
        rest[cheaper] -= both


def _unit_price(priced: Priced) -> tuple[int, int]:
    return (priced.numerator * PICO // priced.denominator, priced.denominator)


def _may_cross(one: str, two: str) -> bool:
    root = one.partition(".")[0]
    return root in {"input", "output"} and two.startswith(root) and union(one, two) is not None


def _depth(unit: str) -> int:
    return len(UNITS[unit].dimensions) if unit in UNITS else 1


def _priced(unit: str, rate: Rate | None, multiplier: Decimal, holders: tuple[str, ...]) -> Priced:
    numerator, denominator = 0, 1
    if rate is not None:
        top, bottom = EXACT.multiply(rate.price, multiplier).as_integer_ratio()
        numerator, denominator = top * PICO, bottom * rate.per
        shared = gcd(numerator, denominator) or 1
        numerator, denominator = numerator // shared, denominator // shared
    return Priced(
        unit=unit,
        rate=rate,
        multiplier=multiplier,
        holders=holders,
        numerator=numerator,
        denominator=denominator,
        part=_PART_INDEX[part_of_cost(unit)],
        counts_tokens=is_token(unit),
    )
