"""Which credit and exchange rates an amount is converted by, and how exactly."""

from datetime import timedelta

import pytest

from tests.books import NOON, START, credit, rate_book

UNIT = 10**12
LATER = NOON + timedelta(days=1)


def converted(currency, wanted, at=NOON, *, credits=(), fx=()):
    conversions = rate_book(credit_rates=credits, fx_rates=fx).conversions
    return conversions.exchanged(10 * UNIT, currency, wanted, at)


def route(currency, wanted, *, credits=(), fx=()):
    """The ids of the rates between two ends, and which of them say what a credit costs."""
    path = rate_book(credit_rates=credits, fx_rates=fx).conversions.path(currency, wanted, NOON)
    return None if path is None else [(step.rate.id, step.is_credit) for step in path.steps]


def fx(price, what, currency, **more):
    return credit(price, what=what, currency=currency, **more)


def test_of_several_rates_in_force_the_newest_is_taken():
    older, newer = fx("7", "USD", "CNY"), fx("8", "USD", "CNY", start=NOON)
    assert converted("USD", "CNY", fx=[newer, older]) == 80 * UNIT
    assert converted("USD", "CNY", fx=[older, newer]) == 80 * UNIT
    assert converted("USD", "CNY", NOON - timedelta(1), fx=[newer, older]) == 70 * UNIT


def test_of_two_rates_of_one_moment_the_one_written_last_is_taken():
    first, second = fx("7", "USD", "CNY"), fx("8", "USD", "CNY")
    assert converted("USD", "CNY", fx=[first, second]) == 80 * UNIT
    assert converted("USD", "CNY", fx=[second, first]) == 80 * UNIT


def test_a_rate_holds_from_its_first_instant_to_before_its_end():
    rates = [fx("7", "USD", "CNY", start=NOON, end=LATER)]
    instant = timedelta(microseconds=1)
    found = [
        converted("USD", "CNY", at, fx=rates)
        for at in (NOON - instant, NOON, LATER - instant, LATER)
    ]
    assert found == [None, 70 * UNIT, 70 * UNIT, None]


def test_one_book_converts_at_the_rate_of_every_moment_it_is_asked_about():
    rates = [fx("7", "USD", "CNY", end=NOON), fx("8", "USD", "CNY", start=NOON, end=LATER)]
    conversions = rate_book(fx_rates=rates).conversions
    moments = (START, NOON, LATER, NOON, START)
    found = [conversions.exchanged(UNIT, "USD", "CNY", at) for at in moments]
    assert found == [7 * UNIT, 8 * UNIT, None, 8 * UNIT, 7 * UNIT]


def test_a_quoted_rate_comes_before_one_quoted_the_other_way_before_a_common_currency():
    direct = fx("7", "USD", "CNY")
    other_way = fx("0.125", "CNY", "USD")
    common = [fx("2", "EUR", "USD"), fx("18", "EUR", "CNY")]
    assert converted("USD", "CNY", fx=[*common, other_way, direct]) == 70 * UNIT
    assert converted("USD", "CNY", fx=[*common, other_way]) == 80 * UNIT
    assert converted("USD", "CNY", fx=common) == 90 * UNIT
    assert converted("USD", "CNY", fx=common[:1]) is None
    assert converted("USD", "CNY", fx=common[1:]) is None


def test_a_common_currency_needs_both_rates_at_that_moment():
    over = fx("2", "EUR", "USD", end=NOON)
    ahead = fx("2", "EUR", "USD", start=LATER)
    yuan = fx("18", "EUR", "CNY")
    assert converted("USD", "CNY", fx=[over, yuan]) is None
    assert converted("CNY", "USD", fx=[ahead, yuan]) is None
    # The next common currency, by name, is tried then.
    pounds = [fx("3", "GBP", "USD"), fx("24", "GBP", "CNY")]
    assert converted("USD", "CNY", fx=[over, yuan, *pounds]) == 80 * UNIT


def test_a_way_there_and_back_is_the_same_way():
    euro = [fx("2", "EUR", "USD"), fx("18", "EUR", "CNY")]
    there = [(euro[0].id, False), (euro[1].id, False)]
    assert route("USD", "CNY", fx=euro) == there
    assert route("CNY", "USD", fx=euro) == there[::-1]
    assert route("USD", "EUR", fx=euro) == route("EUR", "USD", fx=euro) == there[:1]


def test_a_conversion_is_rounded_once_at_its_end():
    # A third of a dollar is 0.333333333333 of it, but three of those are a yuan again.
    rates = [fx("3", "EUR", "USD"), fx("3", "EUR", "CNY")]
    conversions = rate_book(fx_rates=rates).conversions
    assert conversions.exchanged(1, "USD", "CNY", NOON) == 1
    assert conversions.exchanged(2, "USD", "EUR", NOON) == 1  # 0.67 picos
    assert conversions.exchanged(1, "USD", "EUR", NOON) == 0


def test_a_credit_is_taken_at_its_price_in_the_costs_own_currency_first():
    yuan = credit("2", "CNY")
    dollars = credit("1", "USD", start=START + timedelta(days=1))  # newer, but needs an exchange
    exchange = fx("10", "USD", "CNY")
    for rates in ([yuan, dollars], [dollars, yuan]):
        assert converted("CNY", "CREDIT", credits=rates, fx=[exchange]) == 5 * UNIT
        assert converted("USD", "CREDIT", credits=rates, fx=[exchange]) == 10 * UNIT
    assert converted("CNY", "CREDIT", credits=[dollars], fx=[exchange]) == UNIT
    assert converted("CNY", "CREDIT", credits=[dollars]) is None


def test_a_credit_is_worth_money_in_any_currency_that_is_exchanged():
    dollars, exchange = credit("2", "USD"), fx("10", "USD", "CNY")
    assert converted("CREDIT", "USD", credits=[dollars]) == 20 * UNIT
    assert converted("CREDIT", "CNY", credits=[dollars], fx=[exchange]) == 200 * UNIT
    assert converted("CREDIT", "EUR", credits=[dollars], fx=[exchange]) is None
    assert route("CREDIT", "CNY", credits=[dollars], fx=[exchange]) == [
        (dollars.id, True),
        (exchange.id, False),
    ]
    assert route("CNY", "CREDIT", credits=[dollars], fx=[exchange]) == [
        (dollars.id, True),
        (exchange.id, False),
    ]


def test_credits_of_one_kind_are_worth_credits_of_another_by_their_prices_in_money():
    points, tokens = credit("2", "USD", what="points"), credit("5", "USD", what="tokens")
    assert converted("POINTS", "TOKENS", credits=[points, tokens]) == 4 * UNIT
    assert converted("TOKENS", "POINTS", credits=[points, tokens]) == 25 * UNIT
    assert converted("POINTS", "POINTS", credits=[points, tokens]) == 10 * UNIT
    assert route("POINTS", "TOKENS", credits=[points, tokens]) == [
        (points.id, True),
        (tokens.id, True),
    ]


def test_a_credit_that_is_priced_in_credits_alone_is_worth_nothing_known():
    circular = [credit("2", "TOKENS", what="points"), credit("5", "POINTS", what="tokens")]
    assert converted("POINTS", "USD", credits=circular) is None
    assert converted("POINTS", "TOKENS", credits=circular) is None


def test_a_price_that_leads_nowhere_does_not_hide_one_that_does():
    euros = credit("1", "EUR", start=NOON)
    dollars = credit("2", "USD")
    exchange = fx("10", "USD", "CNY")
    assert converted("CREDIT", "CNY", credits=[euros, dollars], fx=[exchange]) == 200 * UNIT


@pytest.mark.parametrize(
    ("kinds", "meant"),
    [
        ([], "credit"),
        (["points"], "points"),
        (["points", "credit"], "credit"),
        (["points", "tokens"], "credit"),
    ],
)
def test_the_organizations_own_kind_is_meant_unless_there_is_only_one(kinds, meant):
    rates = [credit("2", what=kind) for kind in kinds]
    conversions = rate_book(credit_rates=rates).conversions
    assert (conversions.kind, conversions.kinds) == (meant, tuple(sorted(kinds)))


def test_a_book_without_rates_converts_nothing_but_a_currency_to_itself():
    assert converted("USD", "USD") == 10 * UNIT
    assert converted("USD", "CNY") is None
    assert converted("USD", "CREDIT") is None
    assert rate_book().conversions.path("USD", "USD", NOON).steps == ()
