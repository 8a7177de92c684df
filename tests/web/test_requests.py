"""A session request by request, and why a request costs what it costs."""

import re

import pytest

from accounting.models import UsageEvent
from tests.factories import MembershipFactory
from tests.web.ledger import filled


@pytest.fixture
def books(organization):
    return filled(organization)


def address():
    return f"/requests/{bytes(UsageEvent.objects.first().dedupe_key).hex()}/"


def test_a_session_lists_its_requests(page, books):
    assert "/sessions/one/?id=s%2F1%20%3F" in page.get("/sessions/?range=all").content.decode()
    text = page.get("/sessions/one/?id=s%2F1%20%3F").content.decode()
    assert len(re.findall(r'href="/requests/[0-9a-f]{32}/"', text)) == 2
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
