"""Entering prices and credit rates on a page."""

import re
from decimal import Decimal

import pytest

from accounting.models import CreditRate, Rate
from accounting.web.forms.prices import PriceForm
from tests.factories import ProjectFactory
from tests.queries.posted import posted


def wanted(**changes):
    return {
        "provider": "acme",
        "model": "house-model",
        "currency": "cny",
        "effective_from": "2026-01-01",
        "input_price": "0.5",
        "cached_price": "0.1",
        "output_price": "1.5",
        **changes,
    }


def test_prices_are_entered_and_then_in_force(page):
    assert page.post("/prices/add", wanted()).headers["Location"] == "/prices/"
    text = page.get("/prices/?search=house-model").content.decode()
    assert "own-cny" in text
    assert "0.50" in text
    assert set(Rate.objects.values_list("unit", "price")) == {
        ("input", Decimal("0.5")),
        ("input.cache_read", Decimal("0.1")),
        ("output", Decimal("1.5")),
    }


def test_a_price_starts_with_the_local_day(page, organization):
    organization.time_zone = "Asia/Shanghai"
    organization.save()
    page.post("/prices/add", wanted())
    assert Rate.objects.first().effective_from.isoformat() == "2025-12-31T16:00:00+00:00"


def test_the_same_prices_again_change_nothing(page):
    page.post("/prices/add", wanted())
    text = page.post("/prices/add", wanted(), follow=True).content.decode()
    assert "were in the books already" in text
    assert Rate.objects.count() == 3


def test_the_price_of_a_request_is_that_of_one(db):
    form = PriceForm(wanted(request_price="0.002"))
    assert form.is_valid()
    assert form.unit_prices()["requests"] == Decimal(2)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"input_price": "1e9"}, "Write a number as 0.5"),
        ({"input_price": "-1"}, "Write a number as 0.5"),
        ({"input_price": "NaN"}, "Write a number as 0.5"),
        ({"input_price": "1,5"}, "Write a number as 0.5"),
        ({"currency": "€"}, "No currency has this code"),
        ({"effective_from": "1999-01-01"}, "Choose a day from 2020 to 2099"),
        ({"effective_from": "soon"}, "Enter a valid date"),
        ({"model": ""}, "This field is required"),
        ({"input_price": "", "cached_price": "", "output_price": ""}, "at least one price"),
    ],
)
def test_a_price_that_can_not_be_right_is_answered_in_words(page, changes, words):
    answer = page.post("/prices/add", wanted(**changes))
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Rate.objects.exists()


def test_what_was_typed_stays_when_it_is_refused(page):
    text = page.post("/prices/add", wanted(input_price="x")).content.decode()
    assert 'value="house-model"' in text
    assert 'aria-invalid="true"' in text


def test_a_model_without_a_price_leads_to_the_form_filled_in(page, books):
    text = page.get("/prices/").content.decode()
    assert "house-model" in text
    assert 'href="/prices/?provider=anthropic&amp;model=house-model#new-price"' in text
    filled = page.get("/prices/?provider=anthropic&model=house-model").content.decode()
    assert 'name="model" value="house-model"' in filled


def test_a_credit_rate_is_entered(page, organization):
    rate = {"price": "0.001", "currency": "CNY", "effective_from": "2026-01-01"}
    assert page.post("/prices/credit-rate", rate).headers["Location"] == "/prices/"
    assert CreditRate.objects.get(organization=organization).price == Decimal("0.001")
    assert "0.001" in page.get("/prices/").content.decode()


def test_a_credit_can_not_cost_nothing(page):
    rate = {"price": "0", "currency": "CNY", "effective_from": "2026-01-01"}
    answer = page.post("/prices/credit-rate", rate)
    assert answer.status_code == 422
    assert "A credit must cost something" in answer.content.decode()


def test_a_search_that_finds_nothing_says_so(page):
    text = page.get("/prices/?search=no-such-model").content.decode()
    assert "No model with “no-such-model” in its name has a price" in text


def test_links_of_a_refused_form_lead_to_the_page(page, books):
    text = page.post("/prices/add", wanted(input_price="x")).content.decode()
    assert 'href="/prices/?provider=anthropic&amp;model=house-model#new-price"' in text


def test_every_label_of_the_page_belongs_to_one_field(page):
    found = re.findall(r' id="(id_[a-z0-9_]+)"', page.get("/prices/").content.decode())
    assert len(found) > 20
    assert len(found) == len(set(found))


def test_a_model_whose_logs_name_no_provider_can_be_priced(page):
    page.post("/prices/add", wanted(provider=""))
    assert set(Rate.objects.values_list("model__provider", "model__name")) == {("", "house-model")}


def test_requests_of_benchmarks_are_told_apart_among_those_without_a_price(page, organization):
    ProjectFactory(organization=organization)
    posted(
        organization,
        {"response_model": "onyx"},
        {"response_model": "onyx", "purpose": "benchmark"},
        {"response_model": "onyx", "purpose": "benchmark"},
    )
    text = page.get("/prices/").content.decode()
    assert "2 of them in benchmarks" in text
    assert "<span>3<br>" in text


def test_what_names_no_model_is_offered_no_price(page, organization):
    ProjectFactory(organization=organization)
    posted(organization, {"response_model": "", "request_model": ""})
    text = page.get("/prices/").content.decode()
    assert "The log names no model, and nothing has a price without one." in text
    assert ">Enter price<" not in text
    assert ">It is another model<" not in text


def test_the_points_of_a_column_of_prices_stand_below_each_other(page):
    page.post("/prices/add", wanted())
    page.post("/prices/add", wanted(model="finer", input_price="0.0125", cached_price="0.01"))
    text = page.get("/prices/").content.decode()
    assert '<span class="pad2">0.50</span>' in text
    assert ">0.0125</td>" in text


def test_a_second_price_of_the_same_day_says_what_it_replaces(page):
    first = page.post("/prices/add", wanted(), follow=True).content.decode()
    assert "replace" not in first
    again = wanted(input_price="0.6", cached_price="")
    text = page.post("/prices/add", again, follow=True).content.decode()
    assert "They replace what was entered for the same day: input 0.50." in text


def test_a_price_of_requests_that_is_replaced_says_for_how_many_it_was(page):
    page.post("/prices/add", wanted(request_price="0.02"))
    again = wanted(request_price="0.03")
    text = page.post("/prices/add", again, follow=True).content.decode()
    assert "for the same day: requests 20.00 / 1,000." in text


def test_the_same_price_for_another_number_is_not_replaced(page):
    page.post("/prices/add", wanted())
    Rate.objects.filter(unit="input").update(price="0.0005", per=1_000)
    text = page.post("/prices/add", wanted(cached_price=""), follow=True).content.decode()
    assert "replace" not in text


def test_another_providers_price_or_another_days_is_not_replaced(page):
    page.post("/prices/add", wanted())
    for changes in ({"provider": "other"}, {"effective_from": "2026-02-01"}):
        again = wanted(input_price="0.6", **changes)
        assert "replace" not in page.post("/prices/add", again, follow=True).content.decode()


def test_rates_of_credits_are_told_in_the_readers_language(page):
    rate = {"price": "0.01", "currency": "USD", "effective_from": "2026-01-01"}
    page.post("/prices/credit-rate", rate)
    assert "1 credit = 0.01 USD" in page.get("/prices/").content.decode()
    page.cookies["language"] = "zh-hans"
    assert "1 积分 = 0.01 USD" in page.get("/prices/").content.decode()
