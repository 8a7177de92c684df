"""How numbers read."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from django.utils import translation

from accounting.web import formatting


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.00K"),
        (80_660, "80.7K"),
        (999_499, "999K"),
        (999_999, "1.00M"),
        (1_234_567, "1.23M"),
        (10**12 - 1, "1.00T"),
        (-4_500, "−4.50K"),
        (None, "–"),
    ],
)
def test_tokens_read_with_three_digits(count, text):
    assert formatting.tokens(count) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0"),
        (45_900, "45,900"),
        (999_999, "999,999"),
        (1_000_000, "1.00M"),
        (-2_500_000, "−2.50M"),
        (None, "–"),
    ],
)
def test_a_figure_has_every_digit_until_a_million(count, text):
    assert formatting.figure(count) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("999999.99", "999,999.99"),
        ("1000000", "1.000M"),
        ("1234567.89", "1.235M"),
        ("-98765432.1", "−98.77M"),
        ("999999950", "1.000B"),
        ("12345678901234567", "12,350T"),
        ("0.0000005", "0.0000005"),
        (None, "–"),
    ],
)
def test_money_in_a_tile_is_short_from_a_million_on(amount, text):
    assert formatting.short_money(None if amount is None else Decimal(amount)) == text


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "0.00 USD"),
        ("0.192177", "0.1922 USD"),
        ("0.0000005", "0.0000005 USD"),
        ("0.000000525", "0.000000525 USD"),
        ("0.5", "0.50 USD"),
        ("0.316", "0.3160 USD"),
        ("0.02", "0.02 USD"),
        ("0.99999", "1.00 USD"),
        ("1234.565", "1,234.57 USD"),
        ("-12.3", "−12.30 USD"),
    ],
)
def test_money_is_never_zero_when_it_is_something(amount, text):
    assert formatting.money(Decimal(amount), "USD") == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(55340, 80660), "68.6 %"),
        (Fraction(0), "0.0 %"),
        (Decimal("-0.05"), "−5.0 %"),
        (None, "–"),
    ],
)
def test_a_share_reads_as_a_percentage(share, text):
    assert formatting.percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(80660, 1154), "69.9 : 1"),
        (Fraction(35, 100), "0.35 : 1"),
        (0, "0.0 : 1"),
        (Decimal("999.94"), "999.9 : 1"),
        (Fraction(123457, 10), "12,346 : 1"),
        (9_000_000, "9.00M : 1"),
    ],
)
def test_a_ratio_reads_as_input_to_one_output(value, text):
    assert formatting.ratio(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (0.33, "330 ms"),
        (45, "45 s"),
        (200, "3 min 20 s"),
        (4_320, "1 h 12 min"),
        (3_600, "1 h"),
    ],
)
def test_a_duration_reads_in_its_two_largest_units(seconds, text):
    assert formatting.duration(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(("price", "text"), [("0.5", "0.50"), ("0.075", "0.075"), ("15", "15.00")])
def test_a_unit_price_keeps_its_digits(price, text):
    assert formatting.unit_price(Decimal(price)) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (999, "999"),
        (9_994, "9,994"),
        (9_999, "1.00万"),
        (80_660, "8.07万"),
        (999_999, "100万"),
        (12_345_678, "1,235万"),
        (99_995_000, "1.00亿"),
        (1_234_567_890, "12.3亿"),
        (1_500_000_000_000, "1.50万亿"),
        (-45_000, "−4.50万"),
    ],
)
def test_tokens_read_in_myriads_in_chinese(count, text):
    with translation.override("zh-hans"):
        assert formatting.tokens(count) == text


def test_money_shares_and_spans_read_in_chinese():
    with translation.override("zh-hans"):
        assert formatting.short_money(Decimal("1234567.89"), "CNY") == "123.5万 CNY"
        assert formatting.percent(Decimal("0.686")) == "68.6%"
        assert formatting.duration(timedelta(seconds=200)) == "3 分 20 秒"


def test_an_exact_number_keeps_more_digits_than_are_reckoned_with():
    text = "123,456,789,012,345,678,901,234,567,890,123,456"
    assert formatting.exact(Decimal(f"-{text.replace(',', '')}.1200")) == f"−{text}.12"
