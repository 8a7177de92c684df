"""Laws that hold for every amount and every bill."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.credits import credits_for, money_for, tokens_for
from accounting.domain.money import PICO, from_picos, picos, plain, quantised
from tests.books import NOON, rate, rate_book, use

COUNTS = st.integers(min_value=0, max_value=10**9)
PRICES = st.decimals(min_value=0, max_value=100, places=6, allow_nan=False, allow_infinity=False)


def book():
    return rate_book(
        rate("input", "3"),
        rate("input.cache_read", "0.3"),
        rate("input.cache_write", "3.75"),
        rate("output", "15"),
    )


@given(numerator=st.integers(-(10**18), 10**18), per=st.integers(1, 10**9))
def test_rounding_is_never_off_by_more_than_half_a_pico(numerator, per):
    assert abs(quantised(numerator, per) - Fraction(numerator, per)) <= Fraction(1, 2)


@given(numerator=st.integers(-(10**18), 10**18), per=st.integers(1, 10**9))
def test_rounding_is_the_same_for_debt_and_credit(numerator, per):
    assert quantised(-numerator, per) == -quantised(numerator, per)


@given(amount=st.integers(-(2**63) + 1, 2**63 - 1))
def test_an_amount_is_the_same_after_it_was_printed(amount):
    assert picos(from_picos(amount)) == amount


@given(price=PRICES, tokens=COUNTS)
def test_a_price_of_six_decimals_per_million_is_never_rounded(price, tokens):
    cost = rate_book(rate("input", plain(price))).rate(use(input_tokens=tokens), NOON).cost
    assert cost == Fraction(price) * tokens * PICO / 1_000_000


@given(cached=COUNTS, written=COUNTS, fresh=COUNTS, output=COUNTS)
def test_every_token_is_charged_in_exactly_one_line(cached, written, fresh, output):
    _, lines = book().explain(
        use(
            input_tokens=cached + written + fresh,
            cache_read_input_tokens=cached,
            cache_write_input_tokens=written,
            output_tokens=output,
        ),
        NOON,
    )
    assert sum(line.quantity for line in lines) == cached + written + fresh + output


@given(cached=COUNTS, fresh=COUNTS, output=COUNTS)
def test_the_parts_and_the_lines_both_add_up_to_the_cost(cached, fresh, output):
    rating, lines = book().explain(
        use(input_tokens=cached + fresh, cache_read_input_tokens=cached, output_tokens=output),
        NOON,
    )
    parts = (rating.cost_input, rating.cost_cache_read, rating.cost_output)
    assert sum(parts) == rating.cost == sum(line.amount for line in lines)


@given(one=COUNTS, two=COUNTS)
def test_two_requests_cost_what_one_with_both_their_tokens_costs(one, two):
    together = book().rate(use(input_tokens=one + two), NOON).cost
    assert together == sum(book().rate(use(input_tokens=n), NOON).cost for n in (one, two))


@given(cost=st.integers(0, 10**15), thousandths=st.integers(1, 10_000))
def test_credits_turn_back_into_the_money_they_came_from(cost, thousandths):
    price = from_picos(thousandths * 10**9)
    half_a_unit = price / 2 + 1
    assert abs(money_for(credits_for(cost, price), price) - cost) <= half_a_unit


@given(money=st.integers(0, 10**16), price=PRICES.filter(bool))
def test_the_tokens_an_amount_buys_are_affordable_and_one_more_is_not(money, price):
    tokens = tokens_for(money, price)
    assert Fraction(price) * tokens * PICO <= money * 1_000_000
    assert Fraction(price) * (tokens + 1) * PICO > money * 1_000_000
