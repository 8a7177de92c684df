"""A name is looked up whole: never a part of it, never the nearest, never another provider's."""

import json

import pytest

from accounting.models import Organization
from accounting.queries.prices import loaded_rates
from accounting.services.pricebooks import import_table
from tests.books import rate, rate_book, shelf
from tests.failures.pricing import MILLION, cost, rows, state, told


def table(*models, provider="testing"):
    """A price of 1 for the input of each of these models alone."""
    listed = [rate("input", "1", model=model, provider=provider) for model in models]
    return rate_book(shelves=[shelf(*listed, currency="USD")])


@pytest.mark.parametrize(
    ("model", "priced"),
    [
        pytest.param("flint-mini-2031-07-18", "0.15", id="B116"),
        pytest.param("flint-mini", "0.15", id="B116-plain"),
        pytest.param("flint-mini-latest", "0.15", id="B118-latest"),
        pytest.param("flint-20310718", "2.5", id="B118-date"),
        pytest.param("flintlock", None, id="B121"),
        pytest.param("fli", None, id="B120"),
        pytest.param("chat-flint-latest", None, id="B130"),
    ],
)
def test_only_a_date_or_latest_may_follow_a_name(model, priced):
    assert cost(model, input_tokens=MILLION) == priced


@pytest.mark.parametrize(
    ("listed", "logged"),
    [
        pytest.param("opal-4", "opal-4.7", id="B118"),
        pytest.param("opal-4.7", "opal-4", id="B118-reverse"),
        pytest.param("flint-mini", "flint", id="B120"),
        pytest.param("flint", "flint-mini", id="B120-reverse"),
    ],
)
def test_a_relative_of_a_model_is_another_model(listed, logged):
    assert state(logged, book=table(listed), input_tokens=MILLION) == "unpriced"


def test_the_same_name_of_another_provider_is_another_model():  # B123
    free = rate_book(
        shelves=[shelf(rate("input", "0", model="nemo-550b", provider="b"), currency="USD")]
    )
    assert state("nemo-550b", book=free, provider="b", input_tokens=5) == "free"
    rating = told("nemo-550b", book=free, provider="a", input_tokens=5)
    assert (rating.state, rating.cost) == ("unpriced", None)


def test_a_route_before_a_name_is_taken_off_where_it_is_known():  # B125
    book = rate_book(
        shelves=[
            shelf(
                *rows("flint-mini", {"input": "0.15", "output": "0.6"}),
                *rows("router/flint-max", {"input": "30", "output": "120"}),
                currency="USD",
            )
        ]
    )
    used = {"input_tokens": 5_156, "output_tokens": 21}
    assert cost("openrouter/flint-mini", book=book, **used) == "0.000786"
    # 'router' is nobody's name: rather no price than that of something else.
    assert cost("router/flint-mini", book=book, **used) is None


def test_a_fast_variant_does_not_lend_its_price():  # B126
    book = rate_book(
        shelves=[
            shelf(
                *rows("flint@host", {"input": "2", "input.cache_read": "1"}),
                *rows("flint@host-fast", {"input": "4", "input.cache_read": "2"}),
                currency="USD",
            )
        ]
    )
    used = {"input_tokens": MILLION, "cache_read_input_tokens": MILLION // 2}
    assert cost("flint@host", book=book, **used) == "1.5"
    assert cost("flint@host-fast", book=book, **used) == "3"


def test_a_snapshot_with_a_price_of_its_own_has_it_from_its_day(db):  # B128
    organization = Organization.objects.create(slug="acme", name="Acme", currency="USD")
    row = {
        "provider": "testing",
        "model": "flint-2031-11-20",
        "unit": "input",
        "price": "2.75",
        "from": "2026-02-01",
    }
    document = {"book": {"code": "own", "currency": "USD"}, "rates": [row]}
    before = loaded_rates(organization.pk)
    import_table(json.dumps(document).encode(), organization=organization)
    after = loaded_rates(organization.pk)
    asked = {"input_tokens": MILLION}
    assert cost("flint-2031-11-20", book=before, **asked) is None
    assert cost("flint-2031-11-20", book=after, **asked) == "2.75"
    assert cost("flint", book=after, **asked) is None


def test_tokens_of_an_unlisted_alias_are_kept():  # B130
    rating = told("chat-flint-latest", input_tokens=10, output_tokens=5)
    assert (rating.state, rating.unpriced_tokens) == ("unpriced", 15)
