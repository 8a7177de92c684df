"""Requests: the raw rows, page by page."""

import re

import pytest

from accounting.web.cursors import request_cursor, request_key
from accounting.web.views import request_list
from tests.queries.posted import NOON
from tests.web.october import OCTOBER, curl_of, october, read, values


@pytest.fixture
def books(client, db):
    return october(client)


def keys(text):
    return re.findall(r'href="/requests/([0-9a-f]{32})/\?next=', text)


def test_a_request_links_to_its_bill_its_session_and_its_line(client, books):
    text = read(client, f"/requests/?{OCTOBER}&model=opal")
    assert "comes to the stored cost" in read(client, f"/requests/{keys(text)[0]}/")
    assert 'href="/sessions/one/?id=talk&amp;next=' in text
    assert {"1.1", "3000000"} <= values(text)
    assert "3,000,000" in text


def test_following_older_shows_every_request_once(client, books, monkeypatch):
    monkeypatch.setattr(request_list, "PAGE_ROWS", 1)
    seen, address = [], "/requests/?from=2026-09-01&to=2026-11-01"
    while address:
        text = read(client, address)
        seen += keys(text)
        found = re.search(r'href="([^"]+)" rel="next"', text)
        address = "/requests/" + found[1].replace("&amp;", "&") if found else ""
    assert len(seen) == len(set(seen)) == 3


def test_conditions_hold_for_rows_and_sums(client, books):
    text = read(client, f"/requests/?{OCTOBER}&user=bo")
    assert len(keys(text)) == 1
    assert "4.5" in values(text)
    assert "5.6" not in values(text)


def test_the_line_of_curl_gives_the_rows_of_the_page(client, books):
    text = read(client, f"/requests/?{OCTOBER}&model=opal&model=jade")
    rows = client.get(curl_of(text, "rows")).json()["rows"]
    assert [row["event"] for row in rows] == keys(text)
    assert {row["cost"] for row in rows} <= values(text)


def test_nothing_found_offers_each_condition_to_take_away(client, books):
    text = read(client, f"/requests/?{OCTOBER}&model=opal&user=nobody")
    assert "No usage fits these conditions" in text
    assert "without “User is nobody”" in text


@pytest.mark.parametrize("after", ["x", "2026-10-01T12:00:00~", "2026-10-01T12:00:00Z~xyz", "~"])
def test_a_cursor_that_is_none_is_refused(client, books, after):
    assert client.get("/requests/", {"after": after}).status_code == 400


def test_a_cursor_is_read_as_it_was_written():
    key = (NOON, "00ff")
    assert request_key(request_cursor(key)) == key
