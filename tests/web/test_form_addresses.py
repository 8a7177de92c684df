"""Addresses that only take forms lead a browser back to the page around them."""

import pytest

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("address", "around"),
    [
        ("/prices/credit-rate", "/prices/"),
        ("/prices/reprice/7/apply", "/prices/reprice/7/"),
        ("/months/2026-11/close", "/months/"),
        ("/keys/5/revoke", "/keys/"),
        ("/settings/projects/3", "/settings/"),
        ("/imports/mapping/save", "/imports/"),
        ("/sample-data/load", "/"),
        ("/theme", "/"),
    ],
)
def test_a_browser_comes_to_the_page_around(page, address, around):
    answer = page.get(address, headers=BROWSER)
    assert (answer.status_code, answer.get("Location")) == (302, around)


def test_a_program_is_told_what_the_address_takes(page):
    answer = page.get("/prices/credit-rate", headers={"Accept": "*/*"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


def test_a_refused_form_can_be_read_in_another_language(page):
    refused = page.post("/prices/credit-rate", {"price": "-1"}, headers=BROWSER)
    assert refused.status_code == 422
    answer = page.get("/prices/credit-rate", headers=BROWSER, follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain == [("/prices/", 302)]
