"""A plan: what a model's rates come to under fixed conditions, ready to be applied to counts.

Everything that takes thought is done when the plan is made. Applying one to a request is a few
multiplications of integers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import gcd
from operator import attrgetter
from typing import Any

from accounting.domain.money import EXACT, PICO
from accounting.domain.rates import GRADUATED, Rate
from accounting.domain.units import (
    INPUT,
    OUTPUT,
    PARTS,
    REQUESTS,
    UNIT_OF_COUNT,
    UNITS,
    contains,
    is_token,
    part_of_cost,
    union,
)

_PART_INDEX = {part: index for index, part in enumerate(PARTS)}
_COUNT_OF_UNIT = {unit: count for count, unit in UNIT_OF_COUNT.items()}
#: Read for every request; any of them used takes the long way round.
_ASIDE = ("other_units", "web_search_requests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """The price of what is more than `above` of a unit: amount = quantity × numerator / denominator."""

    above: int
    price: Decimal
    numerator: int
    denominator: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """A unit with its rate, or without one, and where its charges go.

    holders: priced units around it, which must not charge its tokens again. tiers: the first is the
    rate's own price, from nothing on; none where the unit has no rate.
    """

    unit: str
    rate: Rate | None
    multiplier: Decimal
    holders: tuple[str, ...]
    tiers: tuple[Tier, ...]
    part: int
    counts_tokens: bool

    @property
    def is_graduated(self) -> bool:
        """Whether each tier's share costs that tier's price."""
        return self.rate is not None and bool(self.rate.tiers and self.rate.tiers.mode == GRADUATED)

    @property
    def is_paid(self) -> bool:
        """Whether any of it costs anything."""
        return any(tier.numerator for tier in self.tiers)


@dataclass(frozen=True, slots=True)
class Steps:
    """A plan for requests whose parts have plain prices: counts in, whole picos out.

    read: TokenCounts -> the counts of units, inner ones first, then those of _ASIDE. steps: for each
    unit the places of its holders, its picos each and its cost part. crossing: places of units of
    which only one may be used. state: of a request that costs something.
    """

    read: Callable[[Any], tuple[Any, ...]]
    steps: tuple[tuple[tuple[int, ...], int, int], ...]
    crossing: tuple[tuple[int, int], ...]
    write: int | None
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The prices of one model under fixed conditions, inner units before those that hold them.

    crossing: pairs of priced units of which neither holds the other though a token may be in both.
    covered: units whose use is charged, or noted as unpriced, with a unit of the plan. steps: the
    short way for plain requests; None where some price takes the long one.
    """

    currency: str
    units: tuple[Priced, ...]
    assumed: bool
    crossing: tuple[tuple[str, str], ...]
    prices: Mapping[str, Priced]
    covered: frozenset[str]
    steps: Steps | None


def plan_of(rates: Mapping[str, tuple[Rate, Decimal]], currency: str, *, assumed: bool) -> Plan:
    """A plan from the rate and the factor that apply to each priced unit."""
    ordered = sorted(rates, key=lambda unit: (-_depth(unit), unit))
    ordered += [root for root in (INPUT, OUTPUT) if root not in rates]
    units = []
    for unit in ordered:
        rate, multiplier = rates.get(unit, (None, Decimal(1)))
        holders = tuple(other for other in ordered if other != unit and contains(other, unit))
        units.append(priced(unit, rate, multiplier, holders))
    crossing = tuple(
        (one, two)
        for index, one in enumerate(ordered)
        for two in ordered[index + 1 :]
        if not contains(two, one) and _may_cross(one, two)
    )
    prices = {one.unit: one for one in units}
    return Plan(
        currency=currency,
        units=tuple(units),
        assumed=assumed,
        crossing=crossing,
        prices=prices,
        # A request is nothing to be priced where no rate asks for it.
        covered=frozenset(unit for unit in UNITS if any(contains(whole, unit) for whole in prices))
        | {REQUESTS},
        steps=_steps(units, crossing, assumed=assumed),
    )


def priced(
    unit: str, rate: Rate | None, multiplier: Decimal = Decimal(1), holders: tuple[str, ...] = ()
) -> Priced:
    """A unit with its prices as ratios of integers."""
    tiers: tuple[Tier, ...] = ()
    if rate is not None:
        prices = [(0, rate.price), *(rate.tiers.steps if rate.tiers else ())]
        tiers = tuple(_tier(above, price, multiplier, rate.per) for above, price in prices)
    return Priced(
        unit=unit,
        rate=rate,
        multiplier=multiplier,
        holders=holders,
        tiers=tiers,
        part=_PART_INDEX[part_of_cost(unit)],
        counts_tokens=is_token(unit),
    )


def _tier(above: int, price: Decimal, multiplier: Decimal, per: int) -> Tier:
    top, bottom = EXACT.multiply(price, multiplier).as_integer_ratio()
    numerator, denominator = top * PICO, bottom * per
    shared = gcd(numerator, denominator)
    return Tier(
        above=above,
        price=price,
        numerator=numerator // shared,
        denominator=denominator // shared,
    )


def _steps(
    units: list[Priced], crossing: tuple[tuple[str, str], ...], *, assumed: bool
) -> Steps | None:
    """The short way, where every unit has one whole price and no request is charged as such."""
    if any(
        unit.unit == REQUESTS or len(unit.tiers) != 1 or unit.tiers[0].denominator != 1
        for unit in units
    ):
        return None
    counted = [unit for unit in units if unit.unit in _COUNT_OF_UNIT]
    places = {unit.unit: place for place, unit in enumerate(counted)}
    return Steps(
        attrgetter(*(_COUNT_OF_UNIT[unit.unit] for unit in counted), *_ASIDE),
        tuple(
            (
                tuple(places[holder] for holder in unit.holders if holder in places),
                unit.tiers[0].numerator,
                unit.part,
            )
            for unit in counted
        ),
        tuple((places[one], places[two]) for one, two in crossing if {one, two} <= places.keys()),
        places.get("input.cache_write"),
        "assumed" if assumed else "priced",
    )


def _may_cross(one: str, two: str) -> bool:
    root = one.partition(".")[0]
    return root in {"input", "output"} and two.startswith(root) and union(one, two) is not None


def _depth(unit: str) -> int:
    return len(UNITS[unit].dimensions) if unit in UNITS else 1
