"""Ratios and medians: exact fractions inside, rounded once where they are written."""

from collections.abc import Sequence
from fractions import Fraction

PLACES = 6


def ratio(numerator: int | None, denominator: int | None) -> Fraction | None:
    """Numerator / denominator; None where either is unknown or the denominator is 0."""
    if numerator is None or not denominator:
        return None
    return Fraction(numerator, denominator)


def median(values: Sequence[Fraction]) -> Fraction | None:
    """The middle value, or the mean of the two middle ones; None of no values."""
    if not values:
        return None
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def written_ratio(value: Fraction) -> str:
    """A ratio as plain decimal text, rounded half to even, without trailing zeros."""
    return f"{round(value, PLACES):.{PLACES}f}".rstrip("0").rstrip(".")


def fraction_of(binary: float, most: int) -> Fraction | None:
    """The fraction with no greater denominator that a positive binary fraction was divided from.

    None where several may have been: two such fractions lie at least 1 / most² apart, and a division's
    last digit is 2⁻⁵³ of it.
    """
    found = Fraction(binary)
    return found.limit_denominator(most) if found * most * most < 2**50 else None
