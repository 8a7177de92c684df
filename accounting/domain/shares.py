"""Amounts split so that what a person reads adds up to the whole a person reads."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal

from accounting.domain.money import EXACT

CENTS = 2


def rounded(amount: Decimal, places: int = CENTS) -> Decimal:
    """An amount as statements show it: half away from zero, never a negative zero."""
    shown = amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, EXACT)
    return shown or abs(shown)


def shown_parts(parts: Sequence[Decimal], places: int = CENTS) -> tuple[Decimal, ...]:
    """Parts rounded so that they add up to the rounded sum: the largest remainders go up.

    Of equal remainders the first goes up.
    """
    unit = Decimal(1).scaleb(-places)
    total = rounded(sum_of(parts), places)
    floors = [part.quantize(unit, ROUND_FLOOR, EXACT) for part in parts]
    missing = int(EXACT.subtract(total, sum_of(floors)).scaleb(places))
    remainders = [EXACT.subtract(part, floor) for part, floor in zip(parts, floors, strict=True)]
    upwards = sorted(range(len(parts)), key=lambda place: (-remainders[place], place))[:missing]
    return tuple(
        EXACT.add(floor, unit) if place in upwards else floor for place, floor in enumerate(floors)
    )


def equal_parts(amount: Decimal, count: int, places: int = CENTS) -> tuple[Decimal, ...]:
    """An amount shared by so many: whole units of the last place, the first ones get the rest."""
    units = int(rounded(amount, places).scaleb(places, EXACT))
    each, rest = divmod(units, count)
    return tuple(Decimal(each + (place < rest)).scaleb(-places, EXACT) for place in range(count))


def sum_of(parts: Sequence[Decimal]) -> Decimal:
    """The parts added without rounding."""
    total = Decimal(0)
    for part in parts:
        total = EXACT.add(total, part)
    return total
