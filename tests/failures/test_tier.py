"""A price for long requests holds for all of the request, in every part of it."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.domain.price_lints import findings
from accounting.services.litellm_prices import read_model_map
from accounting.services.price_feeds import Collected
from tests.books import rate, rate_book, shelf
from tests.failures.pricing import MILLION, cost, rows


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        pytest.param((250_000, 0, 1_000), "0.64", id="B185"),
        pytest.param((300_000, 0, 1_000), "0.765", id="B186"),
        pytest.param((250_000, 240_000, 0), "0.085", id="B190"),
        pytest.param((10_000, 0, 100), "0.0135", id="B191"),
        pytest.param((200_000, 0, 0), "0.25", id="B188-exclusive"),
        pytest.param((200_001, 0, 0), "0.5000025", id="B188-one-more"),
    ],
)
def test_the_band_of_the_whole_input_prices_every_token(counts, expected):
    given, cached, output = counts
    assert (
        cost("river", input_tokens=given, cache_read_input_tokens=cached, output_tokens=output)
        == expected
    )


def test_from_an_edge_on_is_above_one_less():  # B188
    long = {"input": "2.5", "output": "15"}
    book = rate_book(
        shelves=[
            shelf(
                *rows("river", {"input": "1.25", "output": "10"}),
                *rows("river", long, input_gt=199_999),
                currency="USD",
            )
        ]
    )
    assert cost("river", book=book, input_tokens=200_000) == "0.5"
    assert cost("river", book=book, input_tokens=199_999) == "0.24999875"


def test_a_price_for_long_requests_alone_is_a_question():  # B191
    high = rate("input", "2.5", model="river", input_gt=200_000)
    (doubt,) = findings([high], is_new=lambda _row: True, listed={})
    assert (doubt.code, doubt.message) == (
        "no_base_price",
        "no price up to 200000 tokens of input",
    )


def test_a_feeds_bands_come_along_and_what_does_not_is_said():  # B193
    feed = {
        "flint": {
            "litellm_provider": "testing",
            "input_cost_per_token": "0.0000025",
            "input_cost_per_token_above_272k_tokens": "0.000005",
            "tiered_pricing_by_moon": [{"size": "272000"}],
        }
    }
    collected = Collected("litellm", datetime(2026, 1, 1, tzinfo=UTC))
    read_model_map(json.loads(json.dumps(feed)), collected)
    prices = [(row.input_gt, row.price) for row in collected.rows["USD"]]
    assert prices == [(None, Decimal("2.5")), (272_000, Decimal(5))]
    (left,) = collected.left_out
    assert (left.what, left.models, left.example) == ("tiered_pricing_by_moon", 1, "flint")
    assert MILLION * prices[1][1] == 5_000_000
