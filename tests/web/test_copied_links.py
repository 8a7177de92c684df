"""A link that is copied shows the same days to whoever opens it later."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.utils import timezone

NOW = datetime(2026, 11, 15, 12, 20, tzinfo=UTC)


@pytest.fixture
def now(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: NOW)


def copied(page, address):
    text = page.get(address).content.decode()
    return unescape(re.search(r'<span id="address" hidden>([^<]*)<', text)[1])


@pytest.mark.parametrize(
    ("address", "link"),
    [
        ("/", "/?from=2026-11-01&to=2026-11-16"),
        ("/?range=30d&model=a", "/?model=a&from=2026-10-17&to=2026-11-16"),
        ("/explore/?range=last_month", "/explore/?from=2026-10-01&to=2026-11-01"),
        ("/requests/?from=2026-11-02&to=2026-11-03", "/requests/?from=2026-11-02&to=2026-11-03"),
        ("/explore/?chart=pie&range=7d", "/explore/?chart=pie&from=2026-11-09&to=2026-11-16"),
        ("/sessions/?range=nonsense", "/sessions/?range=nonsense"),
    ],
)
def test_a_copied_link_has_the_days_instead_of_their_name(now, page, books, address, link):
    assert copied(page, address) == f"http://testserver{link}"


def test_the_link_of_a_panel_has_the_days_too(now, page, books):
    text = unescape(page.get("/?range=7d").content.decode())
    assert "http://testserver/?from=2026-11-09&to=2026-11-16#models" in text


def test_an_estimate_is_copied_with_what_a_bare_page_asks_and_the_days_it_observed(now, page):
    link = copied(page, "/estimate/").removeprefix("http://testserver")
    assert link.endswith("from=2026-10-17&to=2026-11-16")
    assert "money=100&turns=8" in link
    text = page.get(link).content.decode()
    assert '<option value="" selected>17 Oct 2026 to 15 Nov 2026</option>' in text
    assert copied(page, link) == f"http://testserver{link}"


def test_other_days_can_be_chosen_on_an_estimate_about_certain_ones(now, page):
    answer = page.get("/estimate/?money=1&from=2026-10-17&to=2026-11-16&range=7d")
    assert answer.status_code == 200
    assert '<option value="7d" selected>' in answer.content.decode()
