"""What one request costs: a plan of units and prices, applied to counts, exactly.

A plan is what a model's rates come to under fixed conditions: for each priced unit its rate, its
factor and the priced units inside it. Everything that takes thought is done when the plan is made;
applying one to a request is a few multiplications of integers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import gcd

from accounting.domain.errors import BadCountError
from accounting.domain.money import EXACT, PICO, quantised
from accounting.domain.rates import Rate
from accounting.domain.units import PARTS, UNITS, contains, is_token, part_of_cost, union

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

    parts: priced units inside it, whose tokens it must not charge again.
    amount = quantity × numerator / denominator picos.
    """

    unit: str
    rate: Rate | None
    multiplier: Decimal
    parts: tuple[str, ...]
    numerator: int
    denominator: int
    part: int
    counts_tokens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The prices of one model under fixed conditions, inner units before those that hold them.

    crossing: pairs of priced units of which neither holds the other though a token may be in both.
    """

    currency: str
    units: tuple[Priced, ...]
    assumed: bool
    crossing: tuple[tuple[str, str], ...] = ()
    prices: dict[str, Priced] = field(default_factory=dict)


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
    units = []
    for unit in ordered:
        rate, multiplier = rates[unit]
        parts = tuple(other for other in ordered if other != unit and contains(unit, other))
        units.append(_priced(unit, rate, multiplier, parts))
    for root in ("input", "output"):
        if root not in rates:
            parts = tuple(unit for unit in ordered if contains(root, unit))
            units.append(_priced(root, None, Decimal(1), parts))
    crossing = tuple(
        (one, two)
        for index, one in enumerate(ordered)
        for two in ordered[index + 1 :]
        if not contains(one, two) and not contains(two, one) and _may_cross(one, two)
    )
    return Plan(
        currency=currency,
        units=tuple(units),
        assumed=assumed,
        crossing=crossing,
        prices={priced.unit: priced for priced in units},
    )


def bill(plan: Plan, used: dict[str, int], lines: list[Line] | None = None) -> Bill:
    """Apply a plan to what was used, by unit code.

    A unit is charged for its count less the counts of priced units inside it, so a count without a
    price of its own is charged with the nearest unit around it that has one. Raises BadCountError
    where the parts are more than the whole. Lines, if given, receives one line for each unit used.
    """
    result = Bill([0, 0, 0, 0, 0], assumed=plan.assumed)
    leaves: dict[str, int] = {}
    overlap = _overlap(plan, used, result) if plan.crossing else {}
    for priced in plan.units:
        count = used.get(priced.unit)
        if not count:
            continue
        for inner in priced.parts:
            count -= leaves.get(inner, 0)
        count += overlap.get(priced.unit, 0)
        leaves[priced.unit] = count
        if count <= 0:
            if count < 0:
                raise BadCountError(f"the parts of {priced.unit} exceed it by {-count}")
            continue
        _charge(priced, count, result, lines)
    return result


def unpriced_rest(plan: Plan, used: dict[str, int], result: Bill, lines: list[Line] | None) -> None:
    """Note what was used in units that neither the plan nor any unit around them prices."""
    for unit, count in used.items():
        if unit in plan.prices or unit == "requests":
            continue
        if any(contains(priced, unit) for priced in plan.prices):
            continue
        _charge(_priced(unit, None, Decimal(1), ()), count, result, lines)


def _charge(priced: Priced, count: int, result: Bill, lines: list[Line] | None) -> None:
    if priced.rate is None:
        result.unpriced = True
        result.unpriced_parts |= 1 << priced.part
        if priced.counts_tokens:
            result.unpriced_tokens += count
        if lines is not None:
            lines.append(Line(unit=priced.unit, quantity=count))
        return
    amount = quantised(count * priced.numerator, priced.denominator)
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


def _overlap(plan: Plan, used: dict[str, int], result: Bill) -> dict[str, int]:
    """Corrections where two priced units cross and the tokens in both have no price of their own.

    The dearer of the two keeps them. Where nobody says how many they are, as few as the counts
    allow are taken, which charges at most too much; the request is marked as assumed.
    """
    corrections: dict[str, int] = {}
    for one, two in plan.crossing:
        joint = union(one, two)
        if not used.get(one) or not used.get(two) or (joint in plan.prices and joint in used):
            continue
        root = one.partition(".")[0]
        both = used.get(joint, 0) if joint else 0
        if not both:
            both = max(0, used[one] + used[two] - used.get(root, used[one] + used[two]))
        result.assumed = True
        cheaper = min(one, two, key=lambda unit: _unit_price(plan.prices[unit]))
        corrections[cheaper] = corrections.get(cheaper, 0) - both
    return corrections


def _unit_price(priced: Priced) -> tuple[int, int]:
    return (priced.numerator * PICO // priced.denominator, priced.denominator)


def _may_cross(one: str, two: str) -> bool:
    root = one.partition(".")[0]
    return root in {"input", "output"} and two.startswith(root) and union(one, two) is not None


def _depth(unit: str) -> int:
    return len(UNITS[unit].dimensions) if unit in UNITS else 1


def _priced(unit: str, rate: Rate | None, multiplier: Decimal, parts: Sequence[str]) -> Priced:
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
        parts=tuple(parts),
        numerator=numerator,
        denominator=denominator,
        part=_PART_INDEX[part_of_cost(unit)],
        counts_tokens=is_token(unit),
    )
