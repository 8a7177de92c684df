"""Ratios and medians stay exact until they are written; how is in tests/queries/test_arithmetic.py."""

from fractions import Fraction

import pytest

from accounting.domain.ratios import median, ratio


def test_a_ratio_is_a_fraction():
    assert ratio(3, 4) == Fraction(3, 4)
    assert ratio(0, 4) == 0


@pytest.mark.parametrize(
    ("values", "middle"),
    [
        ((1, 2), Fraction(3, 2)),
        ((4, 1, 3, 2), Fraction(5, 2)),
        ((5, 1, 4, 2, 3), 3),
        ((6, 1, 5, 2, 4, 4), 4),
        ((7, 1, 6, 2, 5, 3, 4), 4),
    ],
)
def test_the_median_has_as_many_values_above_as_below(values, middle):
    assert median([Fraction(value) for value in values]) == middle
