"""Costs in another currency than the organization's: pointed out, then converted by a rate."""

import re
from decimal import Decimal

import pytest

from accounting.models import FxRate
from tests.web.ledger import filled

BADGE = "not converted to EUR: add an exchange rate"


@pytest.fixture
def in_euro(organization):
    """Books in euro with two requests of 0.0045 USD each, in one session."""
    organization.currency = "EUR"
    organization.save()
    return filled(organization)


def rate(**changes):
    return {
        "what": "usd",
        "price": "0.9",
        "currency": "EUR",
        "effective_from": "2026-01-01",
        **changes,
    }


@pytest.mark.parametrize("address", ["/?range=all", "/sessions/?range=all"])
def test_a_cost_that_no_rate_converts_is_pointed_out(page, in_euro, address):
    text = page.get(address).content.decode()
    assert BADGE in text
    assert 'href="/prices/#exchange"' in text


def test_the_price_page_says_which_currency_needs_a_rate(page, in_euro):
    text = page.get("/prices/").content.decode()
    assert "2 costs in USD" in text
    assert 'id="exchange" open' in text
    assert 'name="what" value="USD"' in text


def test_a_rate_converts_what_is_there_at_once(page, in_euro):
    said = page.post("/prices/exchange-rate", rate(), follow=True).content.decode()
    assert "it filled in 2 requests" in said
    assert FxRate.objects.get().rate == Decimal("0.9")
    text = page.get("/?range=all").content.decode()
    assert BADGE not in text
    assert "not converted" not in text
    assert 'value="0.0081"' in text  # 2 requests of 0.0045 USD, at 0.9


def test_the_same_rate_again_changes_nothing(page, in_euro):
    page.post("/prices/exchange-rate", rate())
    said = page.post("/prices/exchange-rate", rate(), follow=True).content.decode()
    assert "was in the books already" in said
    assert FxRate.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"price": "0"}, "An exchange rate is more than 0."),
        ({"price": "1,1"}, "Write a number as 0.5"),
        ({"what": "EUR"}, "Choose two different currencies."),
        ({"what": "euro"}, "at most 3 characters"),
        ({"effective_from": "1999-01-01"}, "Choose a day from 2020 to 2099"),
    ],
)
def test_a_rate_that_can_not_be_right_is_answered_in_words(page, organization, changes, words):
    answer = page.post("/prices/exchange-rate", rate(**changes))
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not FxRate.objects.exists()


def test_costs_in_the_own_currency_need_no_rate(page, organization):
    filled(organization)
    assert "not converted" not in page.get("/?range=all").content.decode()


def test_a_request_says_what_it_is_in_the_own_currency(page, in_euro):
    page.post("/prices/exchange-rate", rate())
    listed = page.get("/sessions/one/", {"id": "s/1 ?"}).content.decode()
    address = re.search(r'href="(/requests/[0-9a-f]{32}/)\?next=', listed)[1]
    text = page.get(address).content.decode()
    assert 'value="0.00405"' in text
