"""Money as credits, and what credits buy."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.domain.credits import (
    Mix,
    Prices,
    blended_price,
    credits_for,
    money_for,
    tokens_at_mix,
    tokens_for,
)
from tests.books import NOON, credit, rate, rate_book

CENT = 10_000_000_000
PRICES = Prices(input=Decimal("0.5"), cached=Decimal("0.1"), output=Decimal("1.5"))
BUDGET = 2_500_000_000_000  # 2,500 credits at 0.001 CNY


@pytest.mark.parametrize(
    ("picos", "price", "credits"),
    [
        (480_000_000_000, "0.001", 480_000_000_000_000),
        (500_000, "0.001", 500_000_000),
        (1, "0.001", 1_000),
        (1_000_000_000_000, "3", 333_333_333_333),
        (2_000_000_000_000, "3", 666_666_666_667),
    ],
)
def test_credits_are_exact_and_rounded_once_where_division_does_not_end(picos, price, credits):
    assert credits_for(picos, Decimal(price)) == credits


@pytest.mark.parametrize(
    ("credits", "price", "picos"),
    [
        (480_000_000_000_000, "0.001", 480_000_000_000),
        (1_000, "0.001", 1),
        (333_333_333_333, "3", 999_999_999_999),
        (1, "0.5", 0),
        (3, "0.5", 2),
    ],
)
def test_credits_cost_their_price_rounded_once_to_a_pico(credits, price, picos):
    assert money_for(credits, Decimal(price)) == picos


@pytest.mark.parametrize(
    ("price", "tokens"), [("0.5", 5_000_000), ("1.5", 1_666_666), ("0.1", 25_000_000)]
)
def test_what_2500_credits_buy_of_one_kind(price, tokens):
    assert tokens_for(BUDGET, Decimal(price)) == tokens


def test_free_tokens_have_no_number():
    assert tokens_for(BUDGET, Decimal(0)) is None


@pytest.mark.parametrize(
    ("cached", "output", "blended", "bought"),
    [
        ("0", "0", "0.5", (5_000_000, 0)),
        ("0.8", "0.25", "0.555", (4_504_504, 1_126_126)),
        ("0.8", "0", "0.18", (13_888_888, 0)),
        ("1", "0.1", "0.25", (10_000_000, 1_000_000)),
    ],
)
def test_what_2500_credits_buy_at_a_mix(cached, output, blended, bought):
    mix = Mix(cached_share=Decimal(cached), output_per_input=Decimal(output))
    told = tokens_at_mix(BUDGET, PRICES, mix)
    assert told is not None
    assert told.blended_price == Decimal(blended)
    assert (told.input_tokens, told.output_tokens) == bought


def test_what_is_written_to_a_cache_has_its_own_price_in_a_mix():
    prices = Prices(
        input=Decimal(1), cached=Decimal("0.1"), output=Decimal(5), written=Decimal("1.25")
    )
    mix = Mix(
        cached_share=Decimal("0.5"), written_share=Decimal("0.3"), output_per_input=Decimal("0.1")
    )
    # 0.2 fresh at 1, 0.5 read at 0.1, 0.3 written at 1.25, and a tenth of an answer at 5.
    assert blended_price(prices, mix) == Decimal("1.125")


def test_a_mix_is_not_rounded():
    prices = Prices(input=Decimal(1), cached=Decimal(0), output=Decimal(0))
    mix = Mix(cached_share=Decimal("0.999999999999999999999999999999999999"))
    assert blended_price(prices, mix) == Decimal("1E-36")


def test_what_is_bought_at_a_mix_is_whole_tokens():
    told = tokens_at_mix(BUDGET, PRICES, Mix(output_per_input=Decimal("0.3")))
    assert (told.input_tokens, told.output_tokens) == (2_631_578, 789_473)
    assert isinstance(told.output_tokens, int)


def test_a_free_mix_buys_no_number_of_tokens():
    free = Prices(input=Decimal(0), cached=Decimal(0), output=Decimal(0))
    assert tokens_at_mix(BUDGET, free, Mix()) is None


def test_credits_cost_what_they_cost_on_the_day_of_the_event():
    july = datetime(2026, 7, 1, tzinfo=UTC)
    book = rate_book(
        rate("input", "1"), credit_rates=[credit("0.001", end=july), credit("0.002", start=july)]
    )
    assert book.credits(CENT, "CNY", NOON) == 10_000_000_000_000
    assert book.credits(CENT, "CNY", july) == 5_000_000_000_000
    assert book.credits(CENT, "CNY", datetime(2025, 1, 1, tzinfo=UTC)) is None


def test_credits_of_another_currency_need_its_exchange_rate():
    without = rate_book(credit_rates=[credit("0.001")])
    exchange = credit("7.1", what="USD", currency="CNY")
    book = rate_book(credit_rates=[credit("0.001")], fx_rates=[exchange])
    assert without.credits(CENT, "USD", NOON) is None
    assert book.credits(CENT, "USD", NOON) == 71_000_000_000_000


def test_a_cost_in_the_organizations_currency_needs_no_rate_and_another_does():
    exchange = credit("7.1", what="USD", currency="CNY")
    book = rate_book(fx_rates=[exchange], currency="CNY")
    assert book.base(CENT, "CNY", NOON) == 10_000_000_000
    assert book.base(CENT, "USD", NOON) == 71_000_000_000
    assert book.base(CENT, "EUR", NOON) is None


def test_the_only_kind_of_credit_is_the_one_that_is_meant():
    book = rate_book(credit_rates=[credit("0.001", what="points")])
    assert book.credits(CENT, "CNY", NOON) == 10_000_000_000_000
