"""A session request by request, and why a request costs what it costs."""

import re

import pytest

from accounting.models import UsageEvent
from tests.factories import MembershipFactory, ProjectFactory
from tests.queries.posted import posted
from tests.web.ledger import filled


@pytest.fixture
def books(organization):
    return filled(organization)


def address():
    return f"/requests/{bytes(UsageEvent.objects.first().dedupe_key).hex()}/"


def test_a_session_lists_its_requests(page, books):
    assert "/sessions/one/?id=s%2F1%20%3F" in page.get("/sessions/?range=all").content.decode()
    text = page.get("/sessions/one/?id=s%2F1%20%3F").content.decode()
    assert len(re.findall(r'href="/requests/[0-9a-f]{32}/\?next=%2Fsessions%2F"', text)) == 2
    assert "10.0 : 1" in text
    assert 'value="0.009"' in text


@pytest.mark.parametrize("name", ["", "nobody", "%00"])
def test_a_session_that_is_none_is_not_there(page, books, name):
    assert page.get(f"/sessions/one/?id={name}").status_code == 404


def test_a_request_shows_its_bill_and_the_rows_behind_it(page, books):
    text = page.get(address()).content.decode()
    assert "comes to the stored cost, to the last digit" in text
    assert "0.003 " in text
    assert "0.0015 " in text
    assert "names testing/opal" in text


def test_another_organizations_request_and_session_are_not_there(client, books):
    client.force_login(MembershipFactory().user)
    assert client.get(address()).status_code == 404
    assert client.get("/sessions/one/?id=s%2F1%20%3F").status_code == 404


def test_a_key_that_is_none_is_not_there(page, books):
    assert page.get("/requests/nonsense/").status_code == 404


def test_a_session_leads_back_to_the_question_it_was_opened_from(page, books):
    listed = page.get("/sessions/?range=all&order=-cost").content.decode()
    assert "&amp;next=%2Fsessions%2F%3Frange%3Dall%26order%3D-cost" in listed
    opened = page.get(
        "/sessions/one/?id=s%2F1+%3F&next=%2Fsessions%2F%3Frange%3Dall%26order%3D-cost"
    )
    text = opened.content.decode()
    assert (
        '<p class="small"><a href="/sessions/?range=all&amp;order=-cost">Sessions</a></p>' in text
    )


def test_a_request_leads_back_to_the_list_it_was_opened_from(page, books):
    listed = page.get("/requests/?range=all&model=opal").content.decode()
    way = "?next=%2Frequests%2F%3Frange%3Dall%26model%3Dopal"
    assert way in listed
    text = page.get(address() + way).content.decode()
    assert '<a href="/requests/?range=all&amp;model=opal">Requests</a>' in text


@pytest.mark.parametrize("away", ["https://else.where/sessions/", "//else.where/", "/prices/", "x"])
def test_no_other_page_is_led_back_to(page, books, away):
    text = page.get(address(), {"next": away}).content.decode()
    assert '<p class="small"><a href="/sessions/">Sessions</a>' in text


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("onyx", "No price of onyx is in force at that moment"),
        ("", "The log names no model, and nothing has a price without one"),
    ],
)
def test_a_request_without_a_price_says_so(page, organization, model, words):
    ProjectFactory(organization=organization)
    posted(organization, {"response_model": model, "request_model": ""})
    text = page.get(address()).content.decode()
    assert words in text
    assert '<a class="chip danger" href="/prices/#missing">' in text
    assert "to the last digit" not in text
    assert "By price version" not in text
