"""The rates behind a conversion, and tokens that two prices could claim."""

from decimal import Decimal

import pytest

from accounting.domain.credits import Mix
from accounting.domain.estimate import SessionShape, checked_mix, checked_shape
from tests.books import NOON, credit, rate, rate_book, use

EURO_DOLLAR = credit("1.25", what="EUR", currency="USD")
EURO_YUAN = credit("8.75", what="EUR", currency="CNY")
YUAN_CREDIT = credit("0.001", "CNY")
DOLLAR_CREDIT = credit("0.01", "USD")
RATES = {"credit_rates": [YUAN_CREDIT, DOLLAR_CREDIT], "fx_rates": [EURO_DOLLAR, EURO_YUAN]}


@pytest.mark.parametrize(
    ("currency", "wanted", "steps"),
    [
        ("USD", "CNY", [(EURO_DOLLAR.id, False), (EURO_YUAN.id, False)]),
        ("USD", "EUR", [(EURO_DOLLAR.id, False)]),
        ("USD", "CREDIT", [(DOLLAR_CREDIT.id, True)]),
        ("CNY", "CREDIT", [(YUAN_CREDIT.id, True)]),
        ("CNY", "CNY", []),
    ],
)
def test_a_conversion_says_which_rates_it_took(currency, wanted, steps):
    path = rate_book(**RATES).conversions.path(currency, wanted, NOON)
    assert [(step.rate.id, step.is_credit) for step in path.steps] == steps


def test_tokens_that_two_prices_claim_stay_with_the_dearer_and_it_shows():
    book = rate_book(
        rate("input", "1"), rate("input.cache_read", "0.1"), rate("input.audio", "10"),
        rate("output", "1"),
    )  # fmt: skip
    # 60 cached and 70 heard of 100: at least 30 are both, and are charged as audio.
    told = book.rate(use(input_tokens=100, cache_read_input_tokens=60, input_audio_tokens=70), NOON)
    assert (told.state, told.cost) == ("assumed", 30 * 100_000 + 70 * 10_000_000)


def test_the_edges_of_shares_and_turns_are_allowed():
    assert checked_mix(Mix(cached_share=Decimal(1))).cached_share == 1
    shape = SessionShape(turns=1, system_tokens=0, user_tokens=1, answer_tokens=1)
    assert checked_shape(shape) is shape
