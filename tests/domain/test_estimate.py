"""What credits buy, and what a session costs as it really runs."""

from decimal import Decimal

import pytest

from accounting.domain.credits import Mix, Prices
from accounting.domain.estimate import (
    BadEstimateError,
    OneKind,
    SessionShape,
    cases,
    checked_mix,
    checked_shape,
    prices_of,
    session_cost,
    turns_of,
    whole_cost,
    worked_example,
)
from tests.books import NOON, credit, factor, rate, rate_book, use

PRICES = Prices(input=Decimal("0.5"), cached=Decimal("0.1"), output=Decimal("1.5"))
BUDGET = 2_500_000_000_000
SHAPE = SessionShape(turns=8, system_tokens=1_000, user_tokens=200, answer_tokens=400)


def brief():
    return rate_book(
        rate("input", "0.5"),
        rate("input.cache_read", "0.1"),
        rate("output", "1.5"),
        credit_rates=[credit("0.001")],
    )


def session(*, cached, budget=BUDGET, whole_credits=False, shape=SHAPE, book=None):
    book = book or brief()

    def price(counts):
        asked = use(
            input_tokens=counts.input_tokens,
            cache_read_input_tokens=counts.cache_read_input_tokens,
            output_tokens=counts.output_tokens,
        )
        return whole_cost(book.rate(asked, NOON))

    return session_cost(
        shape,
        cached=cached,
        price=price,
        credits_for=lambda cost: book.credits(cost, "CNY", NOON),
        budget=budget,
        whole_credits=whole_credits,
    )


def test_the_worked_example_is_the_one_everybody_knows():
    example = worked_example()
    assert (example.credits, str(example.credit_price), example.currency) == (2_500, "0.001", "CNY")
    assert example.prices == PRICES
    assert example.buys == OneKind(
        input_tokens=5_000_000, output_tokens=1_666_666, cached_tokens=25_000_000
    )


@pytest.mark.parametrize(
    ("cached", "reads", "cost", "credits", "sessions"),
    [
        (False, 0, 18_000_000_000, 18_000_000_000_000, 138),
        (True, 23_800, 8_480_000_000, 8_480_000_000_000, 294),
    ],
)
def test_a_session_sends_its_history_again_each_turn(cached, reads, cost, credits, sessions):
    told = session(cached=cached)
    assert (told.input_tokens, told.output_tokens, told.cached_tokens) == (26_400, 3_200, reads)
    assert (told.cost, told.credits, told.sessions) == (cost, credits, sessions)


def test_the_first_turn_reads_nothing_from_the_cache():
    sent = [
        (turn.input_tokens, turn.cache_read_input_tokens) for turn in turns_of(SHAPE, cached=True)
    ]
    assert sent[:3] == [(1_200, 0), (1_800, 1_600), (2_400, 2_200)]


def test_whole_credits_round_every_request_up():
    # 1.2, 1.5, 1.8, 2.1, 2.4, 2.7, 3.0 and 3.3 credits become 2, 2, 2, 3, 3, 3, 3 and 4
    told = session(cached=False, whole_credits=True)
    assert (told.credits, told.sessions) == (22_000_000_000_000, 113)


def test_a_turn_beyond_a_band_costs_what_the_band_says():
    long = rate_book(
        rate("input", "1"), rate("input", "2", input_gt=2_000), rate("output", "0"),
        credit_rates=[credit("1")],
    )  # fmt: skip
    shape = SessionShape(turns=2, system_tokens=1_500, user_tokens=500, answer_tokens=500)
    # 2,000 tokens at 1 and 3,000 at 2 per million
    assert session(cached=False, shape=shape, book=long).cost == 8_000_000_000


def test_a_session_without_a_price_or_a_budget_is_no_number():
    unpriced = session(cached=False, book=rate_book(rate("input", "1")))
    assert (unpriced.cost, unpriced.credits, unpriced.sessions) == (None, None, None)
    assert session(cached=False, budget=None).sessions is None
    unpriced = session(cached=False, book=rate_book(rate("input", "1"), credit_rates=[credit("1")]))
    assert (unpriced.cost, unpriced.credits) == (None, None)


def test_without_a_price_for_credits_a_budget_still_buys_sessions():
    told = session(cached=False, book=rate_book(rate("input", "1"), rate("output", "1")))
    # 2.5 is 84 times 0.0296, and some.
    assert (told.cost, told.credits, told.sessions) == (29_600_000_000, None, 84)


def test_without_days_the_cases_lie_a_spread_away_from_the_mix():
    mix = Mix(cached_share=Decimal("0.8"), output_per_input=Decimal("0.25"))
    found = cases(BUDGET, PRICES, mix, (), Decimal("0.2"))
    blended = [str(case.blended_price) for case in (found.low, found.mid, found.high)]
    # 0.36·0.5 + 0.64·0.1 + 0.3·1.5; 0.555; 0.04·0.5 + 0.96·0.1 + 0.2·1.5
    assert [Decimal(price) for price in blended] == [
        Decimal("0.694"),
        Decimal("0.555"),
        Decimal("0.416"),
    ]
    assert (found.mid.input_tokens, found.mid.output_tokens) == (4_504_504, 1_126_126)
    assert found.low.input_tokens == 3_602_305


def test_with_days_the_cases_are_dear_and_cheap_days():
    days = [Mix(output_per_input=Decimal(share) / 10) for share in range(11)]
    found = cases(BUDGET, PRICES, days[5], days, Decimal("0.2"))
    assert (found.low.blended_price, found.high.blended_price) == (
        Decimal("1.85"),
        Decimal("0.65"),
    )


def test_five_days_are_enough_for_cases_and_four_are_not():
    days = [Mix(output_per_input=Decimal(share) / 10) for share in (4, 0, 3, 1, 2)]
    found = cases(BUDGET, PRICES, days[4], days, Decimal("0.5"))
    # 0.5 and an answer at 1.5: the dearest day has 0.4 of one, the cheapest none.
    assert (found.low.blended_price, found.high.blended_price) == (Decimal("1.1"), Decimal("0.5"))
    found = cases(BUDGET, PRICES, days[4], days[1:], Decimal("0.5"))
    # The mix has 0.2 of an answer, so 0.3 and 0.1.
    assert (found.low.blended_price, found.high.blended_price) == (Decimal("0.95"), Decimal("0.65"))


def test_of_ten_days_the_very_dearest_is_the_low_case_and_of_eleven_the_next():
    days = [Mix(output_per_input=Decimal(share)) for share in range(10)]
    found = cases(BUDGET, PRICES, days[0], days, Decimal(0))
    assert (found.low.blended_price, found.high.blended_price) == (Decimal(14), Decimal("0.5"))


def test_a_case_reads_no_more_from_the_cache_than_is_not_written_to_it():
    mix = Mix(cached_share=Decimal("0.6"), written_share=Decimal("0.3"))
    prices = Prices(input=Decimal(10), cached=Decimal(1), output=Decimal(0), written=Decimal(20))
    found = cases(BUDGET, prices, mix, (), Decimal("0.5"))
    # High: 0.7 read (not 0.9) and 0.3 written. Low: 0.3 read, 0.3 written, 0.4 fresh.
    assert (found.high.blended_price, found.mid.blended_price, found.low.blended_price) == (
        Decimal("6.7"),
        Decimal("7.6"),
        Decimal("10.3"),
    )


def test_cases_are_not_rounded():
    mix = Mix(output_per_input=Decimal("0.333333333333333333333333333333333333"))
    prices = Prices(input=Decimal(0), cached=Decimal(0), output=Decimal(1))
    found = cases(BUDGET, prices, mix, (), Decimal("0.1"))
    assert found.high.blended_price == Decimal("0.2999999999999999999999999999999999997")


def test_a_plan_says_its_four_prices():
    book = rate_book(
        rate("input", "3"),
        rate("input.cache_read", "0.3"),
        rate("input.cache_write.5m", "3.75"),
        rate("input.cache_write.1h", "6"),
        rate("output", "15"),
    )
    assert prices_of(book.plan(use(), NOON, 0)) == Prices(
        input=Decimal(3), cached=Decimal("0.3"), output=Decimal(15), written=Decimal("3.75")
    )


def test_prices_fall_back_to_what_holds_around_them():
    plain = rate_book(rate("input", "3"), rate("output", "15"), factor("0.5"))
    assert prices_of(plain.plan(use(), NOON, 0)) == Prices(
        input=Decimal("1.5"), cached=Decimal("1.5"), output=Decimal("7.5"), written=Decimal("1.5")
    )
    assert prices_of(rate_book(rate("input", "3")).plan(use(), NOON, 0)) is None


MOST = SessionShape(turns=1_000, system_tokens=0, user_tokens=1, answer_tokens=0)


def shaped(turns):
    return SessionShape(turns=turns, system_tokens=1, user_tokens=1, answer_tokens=1)


@pytest.mark.parametrize(
    ("check", "value", "said"),
    [
        (
            checked_mix,
            Mix(cached_share=Decimal("0.8"), written_share=Decimal("0.3")),
            "cached_share and written_share are more than the whole input",
        ),
        (
            checked_mix,
            Mix(output_per_input=Decimal(-1)),
            "output_per_input = -1, expected 0 or more",
        ),
        (
            checked_mix,
            Mix(cached_share=Decimal("-0.1")),
            "cached_share = -0.1, expected 0 or more",
        ),
        (
            checked_mix,
            Mix(written_share=Decimal("-0.1")),
            "written_share = -0.1, expected 0 or more",
        ),
        (checked_shape, shaped(0), "turns = 0, expected 1 to 1000"),
        (checked_shape, shaped(1_001), "turns = 1001, expected 1 to 1000"),
    ],
)
def test_what_cannot_be_is_refused(check, value, said):
    with pytest.raises(BadEstimateError) as refused:
        check(value)
    assert str(refused.value) == said


def test_a_session_may_have_a_thousand_turns_that_ask_and_answer_nothing():
    assert checked_shape(MOST) is MOST
    quiet = SessionShape(turns=2, system_tokens=0, user_tokens=0, answer_tokens=0)
    told = session(cached=False, shape=quiet)
    assert (told.input_tokens, told.output_tokens, told.cost, told.sessions) == (0, 0, 0, None)


def test_whole_credits_are_none_where_no_rate_says_how_many():
    book = rate_book(rate("input", "1"), rate("output", "1"))
    told = session(cached=False, book=book, whole_credits=True)
    assert (told.cost, told.credits, told.sessions) == (29_600_000_000, None, None)


def test_a_turn_that_costs_nothing_takes_no_whole_credit():
    free = rate_book(
        rate("input", "0"), rate("input", "1", input_gt=2_000), rate("output", "0"),
        credit_rates=[credit("1")],
    )  # fmt: skip
    shape = SessionShape(turns=2, system_tokens=1_500, user_tokens=500, answer_tokens=500)
    told = session(cached=False, shape=shape, book=free, whole_credits=True)
    assert told.credits == 1_000_000_000_000


def test_credits_are_whole_only_where_that_is_asked_for():
    price, credits_for = (lambda _: 1), (lambda cost: cost * 1_500)
    shape = shaped(1)
    plain = session_cost(shape, cached=False, price=price, credits_for=credits_for, budget=10)
    assert (plain.credits, plain.sessions) == (1_500, 10)
