"""Which codes are money."""

import pytest
from babel.core import get_global

from accounting.domain.currencies import (
    CURRENCIES,
    UnknownCurrencyError,
    checked_currency,
    checked_kind,
)
from accounting.web.forms.welcome import WelcomeForm


@pytest.mark.parametrize(
    ("written", "code"), [("CNY", "CNY"), (" usd ", "USD"), ("Xcg", "XCG"), ("HRK", "HRK")]
)
def test_a_currency_is_taken_however_it_is_written(written, code):
    assert checked_currency(written) == code


@pytest.mark.parametrize(
    "written", ["RMB", "XXX", "XTS", "XAU", "DEM", "DOLLAR", "US", "", "US\0", "ＵＳＤ", "credit"]
)
def test_any_other_code_is_refused_by_name(written):
    with pytest.raises(UnknownCurrencyError, match="expected ISO 4217 as CNY"):
        checked_currency(written)


def test_a_credit_kind_stands_for_a_currency_only_where_it_is_meant():
    assert checked_currency("codex", kinds=["codex", "quota"]) == "CODEX"
    with pytest.raises(UnknownCurrencyError, match=r"or a credit kind \(CODEX, QUOTA\)"):
        checked_currency("CREDIT", kinds=["codex", "quota"])


def test_a_refusal_quotes_twenty_characters():
    with pytest.raises(UnknownCurrencyError) as refused:
        checked_currency("X" * 21)
    assert str(refused.value) == f"'{'X' * 20}' is no currency: expected ISO 4217 as CNY"
    with pytest.raises(UnknownCurrencyError) as refused:
        checked_kind("usd" + " " * 18)
    assert str(refused.value) == f"'usd{' ' * 17}' is a currency, expected a name of credits"


def test_a_credit_is_not_named_like_money():
    assert checked_kind("quota") == "quota"
    with pytest.raises(UnknownCurrencyError, match="'eur' is a currency"):
        checked_kind("eur")


def test_every_money_that_is_tender_since_2020_is_in_the_list():
    tender = {
        code
        for moneys in get_global("territory_currencies").values()
        for code, _start, end, is_tender in moneys
        if is_tender and (end is None or end[0] >= 2020)
    }
    assert tender - CURRENCIES == set()


def test_what_is_offered_at_the_first_sign_in_is_money():
    assert {code for code, _ in WelcomeForm().fields["currency"].choices} <= CURRENCIES
