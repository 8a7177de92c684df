"""Everybody can use every page: axe in both themes, and no page wider than a small phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.browser

PAGES = (
    "/?range=90d",
    "/?range=nonsense",
    "/sessions/?range=90d",
    "/estimate/",
    "/imports/",
    "/imports/#mapping",
    "/formats/?search=claude",
    "/prices/",
    "/prices/?provider=anthropic&alias=claude-sonnet-x&model=claude-sonnet-x",
    "/prices/history/?provider=anthropic&model=claude-sonnet-4-5",
    "/prices/reprice/",
    "/months/",
    "/prices/?search=nothing-of-this-name",
    "/keys/",
    "/password/",
    "/sign-in/made-up/",
)


@pytest.fixture(scope="session")
def demo(site):
    site.manage("demo", "--json")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing(page, demo, address, theme, complaints):
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    if "nonsense" in address:  # Chromium itself reports the answer 400
        complaints.clear()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_an_import(page, demo, theme):
    page.emulate_media(color_scheme=theme)
    page.goto("/imports/")
    page.locator("tbody th a").first.click()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_a_session_and_its_requests(page, demo, theme):
    page.emulate_media(color_scheme=theme)
    page.goto("/sessions/?range=90d&order=-cost")
    for _step in ("session", "request"):
        page.locator("tbody th a").first.click()
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.set_viewport_size({"width": 360, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.parametrize("address", PAGES)
def test_nothing_is_wider_than_a_small_phone(page, demo, address, complaints):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    if "nonsense" in address:
        complaints.clear()


def test_the_keyboard_reaches_the_content_first(page, demo):
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.locator(":focus").get_attribute("id") == "content"


def test_a_page_reads_without_scripts(site, browser, cookies, demo):
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    context.add_cookies(cookies)
    page = context.new_page()
    page.goto("/?range=90d")
    assert page.get_by_text("Projected month end").is_visible()
    page.get_by_text("The numbers of this chart").click()
    assert page.locator("figure table").is_visible()
    context.close()


def test_a_chosen_theme_is_there_on_the_next_page(page, demo):
    page.goto("/sessions/")
    page.get_by_role("button", name="Change the theme").click()
    page.get_by_role("button", name="Change the theme").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.goto("/keys/")
    assert page.locator("html").get_attribute("data-theme") == "dark"
