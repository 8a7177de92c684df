"""The estimate page."""

import pytest
from django.utils import timezone

from accounting.web.written_numbers import read_number
from tests.factories import ProjectFactory
from tests.queries.posted import posted
from tests.web.test_prices import wanted

SESSION = "turns=8&system_tokens=1000&user_tokens=200&answer_tokens=400"


@pytest.fixture
def house(page):
    """A model at 0.5, 0.1 and 1.5 CNY per million, and a credit of 0.001 CNY."""
    page.post("/prices/add", wanted())
    rate = {"price": "0.001", "currency": "CNY", "effective_from": "2026-01-01"}
    page.post("/prices/credit-rate", rate)


def test_the_worked_example_stands_first_also_in_empty_books(page):
    text = page.get("/estimate/").content.decode()
    for tokens in ("2,500 credits", "5,000,000", "25,000,000", "1,666,666"):
        assert tokens in text


def test_credits_buy_tokens_and_sessions(page, house):
    query = f"credits=2500&models=acme%2Fhouse-model&{SESSION}"
    text = page.get(f"/estimate/?{query}").content.decode()
    assert 'value="5000000"' in text
    assert 'value="25000000"' in text
    assert 'value="1666666"' in text
    assert "26,400" in text
    assert "23,800" in text
    assert "138 – 294" in text
    assert "18.00 credit" in text


def test_models_stand_side_by_side_one_a_line(page, house):
    text = page.get("/estimate/?money=1&currency=CNY&models=acme/house-model%0Aacme/none").content
    assert "house-model" in text.decode()
    assert "no price for input and output" in text.decode()


@pytest.mark.parametrize(
    "query",
    ["credits=x", "money=1&money=2", "cached_share=2", "models=nobody", "turns=0", "range=never"],
)
def test_a_question_that_can_not_be_read_is_refused_in_words(page, house, query):
    answer = page.get(f"/estimate/?{query}")
    assert answer.status_code == 400
    assert "This could not be answered" in answer.content.decode()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("50,000,000", "50000000"),
        ("50M", "50000000"),
        ("1.5k", "1500"),
        ("3 万", "30000"),
        ("12\u202f500", "12500"),
        ("0.25", "0.25"),
        ("5,00", "5,00"),
        ("1,2,3", "1,2,3"),
        ("M", "M"),
        ("-5", "-5"),
        ("1e9", "1e9"),
        ("9" * 41, "9" * 41),
    ],
)
def test_numbers_are_read_as_people_write_them(written, read):
    assert read_number(written) == read


def test_fifty_million_tokens_may_be_written_so(page, house):
    text = page.get("/estimate/?input_tokens=50,000,000&models=acme/house-model").content.decode()
    assert "This could not be answered" not in text
    assert 'value="25"' in text  # 50 million tokens at 0.5 CNY a million


def test_credits_and_money_at_once_are_refused_as_rest_does(page, house):
    answer = page.get("/estimate/?credits=2500&money=100&models=acme/house-model")
    text = answer.content.decode()
    assert answer.status_code == 400
    assert "give credits or money, not both" in text
    assert 'name="credits" value="2500"' in text
    assert 'name="money" value="100"' in text


def test_a_bare_page_asks_in_a_currency_that_its_models_are_priced_in(page, organization):
    organization.currency = "EUR"
    organization.save()
    ProjectFactory(organization=organization, slug="default")
    page.post("/prices/add", wanted())
    use = {
        "response_model": "house-model",
        "provider": "acme",
        "input_tokens": 10,
        "output_tokens": 1,
    }
    posted(organization, use, at=timezone.now())
    assert "for 100 CNY" in page.get("/estimate/").content.decode()
    rate = {"what": "CNY", "price": "0.13", "currency": "EUR", "effective_from": "2026-01-01"}
    page.post("/prices/exchange-rate", rate)
    assert "for 100 EUR" in page.get("/estimate/").content.decode()


def test_the_kind_of_credit_is_told_in_the_readers_language(page):
    page.post("/prices/add", wanted())
    page.cookies["language"] = "zh-hans"
    text = page.get("/estimate/?credits=5&models=acme/house-model").content.decode()
    assert "没有从 积分 到 CNY 的汇率" in text


def test_the_answer_is_what_the_page_shows_after_asking(page):
    text = page.get("/estimate/").content.decode()
    assert '<form class="card" action="/estimate/#answer"' in text
    assert text.index('id="answer"') < text.index("For example")
