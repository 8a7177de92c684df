"""Amounts as statements show them: what a person reads adds up to the whole a person reads."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.shares import equal_parts, rounded, shown_parts, sum_of

AMOUNTS = st.decimals(-(10**9), 10**9, places=12, allow_nan=False, allow_infinity=False)


def texts(amounts):
    return [str(amount) for amount in amounts]


@pytest.mark.parametrize(
    ("amount", "places", "shown"),
    [
        ("2.345", 2, "2.35"),
        ("-2.345", 2, "-2.35"),
        ("2.344999999999", 2, "2.34"),
        ("-0.004", 2, "0.00"),
        ("3", 2, "3.00"),
        ("1.25", 1, "1.3"),
        ("1000000000000000000000000000000.005", 2, "1000000000000000000000000000000.01"),
    ],
)
def test_half_a_cent_goes_away_from_zero_and_zero_has_no_sign(amount, places, shown):
    assert str(rounded(Decimal(amount), places)) == shown


def test_statements_show_cents():
    assert str(rounded(Decimal("0.126"))) == "0.13"
    assert texts(shown_parts([Decimal("0.126")])) == ["0.13"]
    assert texts(equal_parts(Decimal("0.13"), 1)) == ["0.13"]


@pytest.mark.parametrize(
    ("parts", "places", "shown"),
    [
        # The sum is 1.000: the largest remainder goes up, wherever it stands.
        (["0.333", "0.333", "0.334"], 2, ["0.33", "0.33", "0.34"]),
        (["0.336", "0.331", "0.333"], 2, ["0.34", "0.33", "0.33"]),
        # Of equal remainders the first one.
        (["0.005", "0.005"], 2, ["0.01", "0.00"]),
        (["0.5", "0.5", "1.4"], 0, ["1", "0", "1"]),
        (["0.5", "0.5", "1.6"], 0, ["1", "0", "2"]),
        # Each alone would go up: the sum is 1.2.
        (["0.6", "0.6"], 0, ["1", "0"]),
        # -1.01 + 2.00 is a cent less than the 1.00 that 0.999 is shown as.
        (["-1.005", "2.004"], 2, ["-1.00", "2.00"]),
        (["1.25", "2.50"], 2, ["1.25", "2.50"]),
        (
            ["1000000000000000000000000000000.006", "0.003"],
            2,
            ["1000000000000000000000000000000.01", "0.00"],
        ),
        ([], 2, []),
    ],
)
def test_the_largest_remainders_go_up(parts, places, shown):
    assert texts(shown_parts([Decimal(part) for part in parts], places)) == shown


@given(st.lists(AMOUNTS, max_size=9))
def test_shown_parts_add_up_to_the_shown_sum_and_none_is_a_cent_off(parts):
    shown = shown_parts(parts)
    assert sum(shown) == rounded(sum_of(parts))
    assert all(abs(one - part) < Decimal("0.01") for one, part in zip(shown, parts, strict=True))


@pytest.mark.parametrize(
    ("amount", "count", "places", "shares"),
    [
        ("10", 3, 2, ["3.34", "3.33", "3.33"]),
        ("-10", 3, 2, ["-3.33", "-3.33", "-3.34"]),
        ("1.005", 2, 2, ["0.51", "0.50"]),
        ("7", 2, 0, ["4", "3"]),
        ("7.006", 2, 3, ["3.503", "3.503"]),
        (
            "1000000000000000000000000000000.01",
            2,
            2,
            ["500000000000000000000000000000.01", "500000000000000000000000000000.00"],
        ),
    ],
)
def test_the_first_shares_get_the_rest(amount, count, places, shares):
    assert texts(equal_parts(Decimal(amount), count, places)) == shares


def test_a_sum_is_not_rounded_however_long():
    assert sum_of([]) == 0
    parts = [Decimal(10**30), Decimal("0.000000000001")]
    assert str(sum_of(parts)) == "1000000000000000000000000000000.000000000001"
