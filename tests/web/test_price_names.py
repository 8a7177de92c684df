"""Other names of models, what looks wrong about prices, and every price a model had."""

from decimal import Decimal

import pytest

from accounting.models import ModelAlias, Rate, UsageEvent
from tests.posting.conftest import post_to
from tests.records import usage_record
from tests.web.ledger import correct_input, filled
from tests.web.test_prices import wanted


@pytest.fixture
def books(organization):
    return filled(organization)


def test_a_name_is_said_to_be_a_listed_model_and_priced_at_once(page, books):
    project_id = UsageEvent.objects.first().project_id
    post_to(
        books.pk,
        [usage_record("r9", project_id=project_id, response_model="opal-eu", input_tokens=1_000,
                      output_tokens=0)],
    )  # fmt: skip
    assert "alias=opal-eu" in page.get("/prices/").content.decode()
    said = {"alias": "opal-eu", "provider": "testing", "meant": "testing/opal"}
    text = page.post("/prices/alias", said, follow=True).content.decode()
    assert "opal-eu is priced as testing/opal; 1 request has a cost now." in text
    assert UsageEvent.objects.get(response_id="r9").cost == Decimal("0.003")


def test_names_like_it_are_suggested_and_none_is_taken(page, books):
    text = page.get("/prices/?provider=testing&alias=opal-eu").content.decode()
    assert '<option value="testing/opal">' in text
    assert 'name="meant" value=' not in text


def test_a_model_that_is_not_listed_is_refused_in_words(page, books):
    answer = page.post("/prices/alias", {"alias": "x", "provider": "", "meant": "testing/pearl"})
    assert answer.status_code == 422
    assert "No model is listed as testing/pearl" in answer.content.decode()
    assert not ModelAlias.objects.filter(organization=books).exists()


def test_a_price_that_looks_wrong_is_saved_only_when_confirmed(page):
    odd = wanted(cached_price="5")
    answer = page.post("/prices/add", odd)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "Nothing was saved yet: this looks wrong." in text
    assert "is more than input" in text
    assert not Rate.objects.exists()
    assert page.post("/prices/add", {**odd, "confirmed": "on"}).status_code == 302
    assert Rate.objects.count() == 3


def test_every_price_of_a_model_is_shown_with_what_replaced_it(page, books):
    correct_input(books, "4")
    text = page.get("/prices/history/?provider=testing&model=opal").content.decode()
    assert "3.00" in text
    assert "4.00" in text
    assert "corrected by version" in text
    assert text.count("in force") == 3


def test_a_model_without_any_price_has_no_history(page, books):
    assert page.get("/prices/history/?provider=testing&model=pearl").status_code == 404
