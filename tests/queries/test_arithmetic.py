"""Ratios, medians and run rates, without a database."""

from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.domain.forecast import run_rate
from accounting.domain.ratios import median, ratio, written_ratio


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(80660, 1154), "69.896014"),
        (Fraction(55340, 80660), "0.68609"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(1, 2_000_000), "0"),
        (Fraction(3, 2_000_000), "0.000002"),
        (Fraction(0), "0"),
        (Fraction(100), "100"),
        (Fraction(-1, 3), "-0.333333"),
        (Fraction(-1, 9_000_000), "0"),
    ],
)
def test_ratios_are_written_rounded_half_even_to_six_places(value, text):
    assert written_ratio(value) == text


def test_a_ratio_to_nothing_or_of_the_unknown_is_unknown():
    assert ratio(1, 0) is ratio(None, 1) is ratio(1, None) is None
    assert ratio(0, 5) == 0


@pytest.mark.parametrize(
    ("values", "middle"),
    [([], None), ([3], 3), ([9, 1, 2], 2), ([Fraction("65.4"), 90], Fraction("77.7"))],
)
def test_median(values, middle):
    assert median([Fraction(value) for value in values]) == middle


@pytest.mark.parametrize(
    ("days", "spent", "left", "expected"),
    [
        (["10.00", "10.00"], "20.00", 28, "300"),
        (["10", "10", "11"], "31", 28, "320.333333"),
        (["0.0000001"], "0.0000001", 29, "0.000003"),
        (["1"], "500", 29, "500"),
        (["0", "0"], "0", 28, "0"),
    ],
)
def test_the_run_rate_is_the_mean_of_whole_days(days, spent, left, expected):
    found = run_rate([Decimal(day) for day in days], spent=Decimal(spent), days_left=left)
    assert found.expected == Decimal(expected)
    assert (found.method, found.history_days) == ("run_rate", len(days))


def test_without_a_whole_day_there_is_no_projection():
    found = run_rate([], spent=Decimal(1), days_left=30)
    assert (found.expected, found.reason, found.history_days) == (None, "not_enough_data", 0)
