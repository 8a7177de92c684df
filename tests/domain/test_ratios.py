"""Ratios and medians stay exact until they are written; how is in tests/queries/test_arithmetic.py."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.ratios import fraction_of, median, ratio


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


@given(
    st.integers(min_value=1, max_value=10**6),
    st.integers(min_value=1, max_value=10**5),
    st.integers(min_value=0, max_value=10**4),
)
def test_a_ratio_is_told_from_its_binary_fraction(numerator, denominator, more):
    told = fraction_of(numerator / denominator, denominator + more)
    assert told in {Fraction(numerator, denominator), None}
    assert told or numerator * (denominator + more) ** 2 >= denominator * 2**49


def test_a_ratio_that_others_are_too_close_to_is_not_told():
    assert fraction_of(1 / 3, 10**8) is None
    assert fraction_of(1 / 3, 10**6) == Fraction(1, 3)
