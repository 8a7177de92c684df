"""Amounts as text and as whole picos."""

from decimal import Decimal

import pytest

from accounting.domain.errors import BadAmountError
from accounting.domain.money import amount, from_picos, picos, plain, quantised

LARGEST = 9_223_372_036_854_775_807


@pytest.mark.parametrize(
    "text", ["0", "007", "0.10", "12345678901234567890.123456789012345678", "1.0"]
)
def test_an_amount_is_taken_digit_for_digit(text):
    assert str(amount(text)) == str(Decimal(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "+1",
        "1e3",
        "1.",
        ".5",
        " 1",
        "1 ",
        "1\n2",
        "1,5",
        "NaN",
        "Infinity",
        "0x1",
        "١",
        "123456789012345678901",
        "0.1234567890123456789",
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(BadAmountError) as refused:
        amount(text)
    assert str(refused.value) == f"{text!r} is no amount: expected digits, at most 20.18"


def test_of_a_long_text_the_refusal_quotes_the_beginning():
    with pytest.raises(BadAmountError) as refused:
        amount("9" * 1_000)
    assert str(refused.value).startswith(f"'{'9' * 40}' is no amount")


@pytest.mark.parametrize(
    ("numerator", "per", "whole"),
    [
        (1, 2, 0),
        (3, 2, 2),
        (5, 2, 2),
        (7, 2, 4),
        (-1, 2, 0),
        (-3, 2, -2),
        (-5, 2, -2),
        (2, 3, 1),
        (1, 3, 0),
        (-2, 3, -1),
        (7, 1, 7),
        (LARGEST, 1, LARGEST),
        (-LARGEST, 1, -LARGEST),
        (2 * LARGEST + 1, 2, None),
        (-LARGEST - 1, 1, None),
    ],
)
def test_halves_go_to_the_even_pico_and_a_bigint_is_the_limit(numerator, per, whole):
    if whole is not None:
        assert quantised(numerator, per) == whole
        return
    with pytest.raises(BadAmountError):
        quantised(numerator, per)


@pytest.mark.parametrize(("sign", "units"), [(1, "9223372"), (-1, "-9223373")])
def test_a_refused_amount_is_told_in_whole_units(sign, units):
    with pytest.raises(BadAmountError) as refused:
        quantised(sign * (LARGEST + 1), 1)
    assert str(refused.value) == f"an amount of {units} units is more than one line may hold"


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        ("1", 1_000_000_000_000),
        ("0.000000000001", 1),
        ("0.0000000000005", 0),
        ("0.0000000000015", 2),
        ("-1.5", -1_500_000_000_000),
    ],
)
def test_amounts_become_picos(value, whole):
    assert picos(Decimal(value)) == whole


@pytest.mark.parametrize(
    ("whole", "text"),
    [
        (1_500_000_000_000, "1.5"),
        (10**15, "1000"),
        (1, "0.000000000001"),
        (0, "0"),
        (-1, "-0.000000000001"),
        (10**29 + 1, "100000000000000000.000000000001"),
    ],
)
def test_picos_become_amounts_without_zeros_or_exponent(whole, text):
    assert f"{from_picos(whole)}" == f"{Decimal(text)}"
    assert plain(from_picos(whole)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("1.00", "1"),
        ("1.50", "1.5"),
        ("100", "100"),
        ("1E+3", "1000"),
        ("1E-7", "0.0000001"),
        ("0.00", "0"),
        ("-0", "0"),
        ("-0.00", "0"),
        ("-10.0", "-10"),
    ],
)
def test_numbers_are_written_plainly(value, text):
    assert plain(Decimal(value)) == text
