"""The Overview's parts that come by themselves: with scripts, without, and where they do not come."""

import re

import pytest

from tests.browser.conftest import OWNER, watched
from tests.browser.test_access import complained

pytestmark = pytest.mark.browser
COME = "() => !document.querySelector('[data-part]')"
MONTH = "**/overview/month/**"


@pytest.fixture
def reader(site, browser, both, complaints):
    """A page of the owner of the books of golden paths; its console says what it is told to."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.add_cookies(both[OWNER])
    context.set_default_timeout(30_000)
    complaints.clear()
    yield watched(context, complaints)
    context.close()


def tile(page, name):
    return page.locator(".kpis > div").filter(has=page.get_by_text(name, exact=True))


def test_all_parts_come_and_say_what_the_whole_page_says(reader, complaints):
    reader.goto("/?range=90d")
    reader.wait_for_function(COME)
    shown = reader.locator("main data").evaluate_all("(all) => all.map((one) => one.value)")
    reader.locator("#ahead figure[data-drawn]").wait_for()
    reader.goto("/?range=90d&whole=yes")
    assert reader.locator("[data-part]").count() == 0
    whole = reader.locator("main data").evaluate_all("(all) => all.map((one) => one.value)")
    assert shown == whole
    assert len(whole) > 20
    assert complaints == []


def test_without_scripts_the_page_is_whole_and_stays_so(site, browser, both):
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    context.add_cookies(both[OWNER])
    page = context.new_page()
    page.goto("/?range=90d")
    page.wait_for_url("**/?range=90d&whole=yes")
    assert tile(page, "Projected month end").locator("data").first.is_visible()
    assert tile(page, "Median in : out").locator("dd").first.inner_text().endswith(": 1")
    assert page.locator("#projects tbody tr").first.is_visible()
    page.locator("#ahead").get_by_text("The numbers of this chart").click()
    assert page.locator("#ahead table").is_visible()
    page.get_by_role("link", name="7 days").click()
    page.wait_for_url("**/?range=7d&whole=yes")
    page.locator("#over-time").get_by_role("link", name="Explore").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Explore"
    context.close()


def test_a_part_that_does_not_come_says_so_and_can_be_asked_again(reader):
    reader.route(MONTH, lambda route: route.fulfill(status=500, body="<h1>Something broke</h1>"))
    reader.goto("/?range=90d")
    missing = reader.locator(".did-not-come:visible")
    missing.nth(1).wait_for()
    assert missing.count() == 2  # the tile and the chart are one part
    assert not reader.get_by_text("Something broke").is_visible()
    assert complained(reader) == ""
    reader.unroute(MONTH)
    reader.locator("#projected").get_by_role("button", name="Try again").click()
    reader.locator("#ahead figure[data-drawn]").wait_for()
    assert tile(reader, "Projected month end").locator("data").first.is_visible()


def test_a_part_says_so_too_where_nobody_answers_or_asks_to_sign_in(reader):
    reader.route(MONTH, lambda route: route.abort())
    reader.route(
        "**/overview/sessions/**",
        lambda route: route.fulfill(status=302, headers={"Location": "/sign-in/"}),
    )
    reader.goto("/?range=90d")
    reader.locator(".did-not-come:visible").nth(2).wait_for()
    assert reader.get_by_label("Password").count() == 0


def test_what_comes_late_for_another_range_is_not_shown(reader):
    held = []

    def hold(route):
        held.append(route)

    reader.route(re.compile("/overview/sessions/.*range=90d"), hold)
    reader.goto("/?range=90d")
    reader.locator("#ahead figure[data-drawn]").wait_for()
    reader.get_by_role("link", name="7 days").click()
    reader.wait_for_url("**range=7d**")
    reader.wait_for_function(COME)
    median = tile(reader, "Median in : out").inner_text()
    late = reader.request.get(
        "/overview/sessions/?range=90d", headers={"HX-Request-Type": "partial"}
    )
    held[0].fulfill(body=late.text().replace(" : 1", " : 1 of another range"))
    reader.wait_for_timeout(300)
    assert tile(reader, "Median in : out").inner_text() == median
    assert "another range" not in median


def test_paper_holds_every_part(reader):
    reader.goto("/?range=90d")
    reader.wait_for_function(COME)
    reader.locator("#ahead figure[data-drawn]").wait_for()
    reader.emulate_media(media="print")
    for part in ("#projected data", "#ahead figure", "#projects tbody tr"):
        assert reader.locator(part).first.is_visible()
