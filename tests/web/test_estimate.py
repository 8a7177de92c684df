"""The estimate page."""

import pytest

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
    ["credits=x", "credits=1&money=1", "cached_share=2", "models=nobody", "turns=0", "range=never"],
)
def test_a_question_that_can_not_be_read_is_refused_in_words(page, house, query):
    answer = page.get(f"/estimate/?{query}")
    assert answer.status_code == 400
    assert "This could not be answered" in answer.content.decode()
