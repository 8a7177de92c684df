"""The first five minutes: sample data and away again, and from an import's sentence to its price."""

import re
import time
from decimal import Decimal

import pytest

from tests.browser.conftest import watched
from tests.browser.hands import Hands
from tests.browser.scenes import cookies_of
from tests.browser.test_walk import native

pytestmark = pytest.mark.browser
NEWCOMERS = ("sampler", "importer")
PRICED = {"provider": "openai"}
LINES = (
    native("first-1", "gpt-5", **PRICED)
    + native("first-2", "gpt-5", **PRICED)
    + native("first-2", "gpt-5", **PRICED)
    + native("first-3", "fir-1")
    + '{"id": "cut", "model": "gp\n'
)
UNLINKED = """(one) => {
  const left = one.cloneNode(true);
  left.querySelectorAll("a").forEach((link) => link.remove());
  return left.textContent;
}"""


@pytest.fixture(scope="session")
def newcomers(site, browser):
    """The cookies of people with empty books, each with books of their own."""
    asked = "; ".join(f"opened({name!r})" for name in NEWCOMERS)
    site.manage("shell", "-v0", "-c", f"from tests.browser.books import opened; {asked}")
    return {name: cookies_of(browser, site, name) for name in NEWCOMERS}


@pytest.fixture
def hands(site, browser, newcomers, complaints, request):
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.add_cookies(newcomers[request.param])
    context.set_default_timeout(60_000)
    complaints.clear()
    yield Hands(watched(context, complaints))
    context.close()
    assert complaints == []


def spend(page):
    return Decimal(page.locator(".kpis data.money").first.get_attribute("value"))


@pytest.mark.parametrize("hands", ["sampler"], indirect=True)
def test_sample_data_comes_with_one_click_and_goes_with_one(hands):
    page = hands.page
    page.goto("/")
    cards = page.locator(".ways h2")
    cards.last.wait_for()
    assert cards.all_inner_texts() == [
        "Drop a file",
        "Send from your gateway",
        "Look at sample data",
    ]
    began = time.monotonic()
    hands.click(page.get_by_role("button", name="Load the sample data"))
    page.locator("figure[data-drawn]").first.wait_for()
    print(f"sample data: dashboards after {time.monotonic() - began:.1f} s (meant to be under 3)")
    assert spend(page) > 1
    assert page.get_by_text("The books hold sample data.").is_visible()
    assert page.locator("#projects tbody tr").count() == 3

    hands.click(page.get_by_role("button", name="Remove it"))
    cards.first.wait_for()
    assert cards.count() == 3
    assert page.get_by_text("The books hold sample data.").count() == 0
    assert hands.clicks == 2


@pytest.mark.parametrize("hands", ["importer"], indirect=True)
def test_each_phrase_of_an_import_leads_to_its_rows_and_a_price_to_its_cost(hands):
    page = hands.page
    page.goto("/")
    hands.drop("first.jsonl", LINES)
    page.wait_for_url("**/imports/*/")
    page.locator("#progress[data-over=yes]").wait_for()
    sentence = page.locator(".outcome")
    told = re.fullmatch(
        r"3 requests, 1 duplicate, 1 rejected, ([\d.]+) USD, 1 without a price\.",
        " ".join(sentence.inner_text().split()),
    )
    assert told, sentence.inner_text()
    assert re.fullmatch(r"[\s,.]*", sentence.evaluate(UNLINKED))
    assert (hands.clicks, hands.drags) == (0, 1)
    cost = Decimal(sentence.locator("data").get_attribute("value"))

    address = page.url
    sentence.get_by_role("link", name="3 requests").click()
    assert page.locator("#rows tbody tr").count() == 3
    page.goto(address)
    sentence.get_by_role("link", name="1 duplicate").click()
    duplicates = page.locator("#counts > div", has_text="Duplicates")
    assert duplicates.locator("dd").inner_text() == "1"
    sentence.get_by_role("link", name="1 rejected").click()
    assert page.locator("#rejections tbody tr").count() == 1
    assert "not JSON" in page.locator("#rejections tbody").inner_text()
    sentence.get_by_role("link", name="USD").click()
    page.wait_for_url("**metric=cost**")
    assert spend(page) == cost > 0

    page.goto(address)
    hands.click(sentence.get_by_role("link", name="1 without a price"))
    hands.click(page.get_by_role("link", name="Enter price of fir-1"))
    assert page.get_by_label("Model", exact=True).input_value() == "fir-1"
    hands.fill(page.get_by_label("Input", exact=True), "2")
    hands.fill(page.get_by_label("Output", exact=True), "10")
    hands.click(page.get_by_role("button", name="Add prices"))
    said = page.get_by_role("status").inner_text()
    assert "1 request has a cost now" in said
    assert "All its usage has cost 0.0150 USD; before, it was 0.00." in said
    assert (hands.clicks, hands.fields) == (3, 2)
    assert page.get_by_text("Every model that was used has a price.").is_visible()
    page.goto("/?range=all")
    assert spend(page) == cost + Decimal("0.015")  # 5,000 at 2 and 500 at 10 a million
