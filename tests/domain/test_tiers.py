"""Prices by how much of a unit one request uses."""

from decimal import Decimal

import pytest

from accounting.domain.rates import Tiers
from tests.books import NOON, rate, rate_book, use

STEPS = ((1_000, Decimal(2)), (5_000, Decimal(1)))


def book(mode):
    return rate_book(rate("input", "3", tiers=Tiers(mode=mode, steps=STEPS)))


@pytest.mark.parametrize(
    ("mode", "tokens", "picos"),
    [
        ("volume", 1_000, 3_000_000_000),  # 1,000 at 3
        ("volume", 1_001, 2_002_000_000),  # all at 2
        ("volume", 6_000, 6_000_000_000),  # all at 1
        ("graduated", 1_000, 3_000_000_000),
        ("graduated", 1_001, 3_002_000_000),  # 1,000 at 3, 1 at 2
        ("graduated", 6_000, 12_000_000_000),  # 1,000 at 3, 4,000 at 2, 1,000 at 1
    ],
)
def test_a_tier_is_for_what_is_more_than_its_edge(mode, tokens, picos):
    assert book(mode).rate(use(input_tokens=tokens), NOON).cost == picos


def test_graduated_tiers_have_a_line_each():
    _, lines = book("graduated").explain(use(input_tokens=6_000), NOON)
    shown = [(line.quantity, str(line.unit_price), line.amount) for line in lines]
    assert shown == [
        (1_000, "3", 3_000_000_000),
        (4_000, "2", 8_000_000_000),
        (1_000, "1", 1_000_000_000),
    ]


def test_a_tier_counts_what_the_unit_charges():
    priced = rate("input", "3", tiers=Tiers(mode="volume", steps=STEPS))
    cached = rate_book(priced, rate("input.cache_read", "0.3"))
    used = use(input_tokens=6_000, cache_read_input_tokens=5_500)
    # 500 fresh tokens at 3 and 5,500 read at 0.3
    assert cached.rate(used, NOON).cost == 1_500_000_000 + 1_650_000_000


def test_a_free_first_tier_is_no_free_model():
    free = rate("output", "0", tiers=Tiers(mode="graduated", steps=((100, Decimal(1)),)))
    told = rate_book(free).rate(use(output_tokens=150), NOON)
    assert (told.state, told.cost) == ("priced", 50_000_000)
