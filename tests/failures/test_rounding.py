"""Amounts are exact until a person reads them, and what a person reads adds up."""

import json
from decimal import Decimal

import pytest

from accounting.domain.money import amount, from_picos
from accounting.domain.shares import equal_parts, rounded, shown_parts
from accounting.models import Organization, Rate
from accounting.services.pricebooks import import_table
from tests.failures.pricing import told


def test_tiny_requests_add_up():  # B285
    each = told("flint-mini", input_tokens=10).cost
    assert from_picos(each) == Decimal("0.0000015")
    assert from_picos(sum(each for _ in range(100_000))) == Decimal("0.15")


def test_a_number_in_json_is_the_number_that_is_written(db):  # B286
    organization = Organization.objects.create(slug="acme", name="Acme", currency="USD")
    content = (
        b'{"book": {"code": "own", "currency": "USD"}, "rates": [{"provider": "t", "model": "m",'
        b'"unit": "input", "price": 0.1, "from": "2026-01-01"}]}'
    )
    import_table(content, organization=organization)
    (price,) = Rate.objects.values_list("price", flat=True)
    assert price + Decimal("0.2") == Decimal("0.3")
    assert json.loads("0.1", parse_float=str) == "0.1"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        pytest.param("0.01999999999999999872", "0.02", id="B288"),
        pytest.param("0.999", "1.00", id="B288-carry"),
        pytest.param("0.005", "0.01", id="B288-half"),
        pytest.param("0.0049", "0.00", id="B288-less"),
    ],
)
def test_cents_are_rounded_half_up_from_the_text(written, shown):
    assert str(rounded(Decimal(written))) == shown


def test_an_amount_with_too_many_digits_is_refused_rather_than_cut():
    assert amount("0.019999999999999998") == Decimal("0.019999999999999998")
    with pytest.raises(ValueError, match="is no amount"):
        amount("0.01999999999999999872")


@pytest.mark.parametrize(
    "balance",
    [
        pytest.param(Decimal("169.90") - Decimal("169.90"), id="B290"),
        pytest.param(Decimal("-0.001"), id="B290-less"),
        pytest.param(Decimal("-0.00"), id="B290-signed"),
    ],
)
def test_nothing_is_shown_without_a_sign(balance):
    assert str(rounded(balance)) == "0.00"


@pytest.mark.parametrize(
    ("whole", "count", "parts"),
    [
        pytest.param("10.00", 3, ["3.34", "3.33", "3.33"], id="B291"),
        pytest.param("0.01", 2, ["0.01", "0.00"], id="B291-cent"),
        pytest.param("1", 4, ["0.25", "0.25", "0.25", "0.25"], id="B291-even"),
    ],
)
def test_equal_shares_add_up_to_the_whole(whole, count, parts):
    assert [str(part) for part in equal_parts(Decimal(whole), count)] == parts


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (["3.333", "3.333", "3.334"], ["3.33", "3.33", "3.34"]),
        (["0.005", "0.005"], ["0.01", "0.00"]),
        (["1.239", "2.239", "3.232"], ["1.24", "2.24", "3.23"]),
        (["-0.004", "0.006"], ["0.00", "0.00"]),
    ],
)
def test_parts_as_shown_add_up_to_the_sum_as_shown(parts, shown):
    found = shown_parts([Decimal(part) for part in parts])
    assert [str(part) for part in found] == shown
    assert sum(found) == rounded(sum(Decimal(part) for part in parts))
