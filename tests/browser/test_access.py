"""Everybody can use every page: axe in both themes, a small phone, the keyboard, no script needed."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import watched
from tests.browser.scenes import SCENES, shown, signed_in, unfold

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 720}
#: What has the focus: how it is marked, and whether it can be seen at all.
FOCUSED = """() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  return {
    name: one.outerHTML.slice(0, 120),
    isBody: one === document.body,
    mark: style.outlineStyle,
    thickness: parseFloat(style.outlineWidth),
    isSeen: box.width > 1 && box.height > 1
      && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight,
  };
}"""


#: Of a long table the rows after these are of the same template.
FEW_ROWS = {"exclude": [["tbody > tr:nth-of-type(n+10)"]]}


def complained(page, **options):
    """What axe finds wrong on a page as it is, as text."""
    found = Axe().run(page, FEW_ROWS, {"resultTypes": ["violations"], **options})
    return found.generate_report() if found.violations_count else ""


@pytest.fixture(scope="session")
def people(site, browser):
    """The cookies of everybody the scenes sign in as."""
    return signed_in(browser, site)


@pytest.fixture
def look(site, browser, people, complaints):
    """Opens a page as somebody; in the end no page may have written to the console."""
    contexts = []

    def opened(who):
        context = browser.new_context(base_url=site.url, viewport=DESK, reduced_motion="reduce")
        context.add_cookies(people[who])
        context.set_default_timeout(20_000)
        contexts.append(context)
        return watched(context, complaints)

    complaints.clear()
    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_axe_finds_nothing_and_a_small_phone_is_wide_enough(look, scene, complaints):
    page = look(scene.who)
    shown(page, scene)
    if scene.is_refused:  # Chromium itself reports an answer that is no 200
        complaints.clear()
    page.emulate_media(color_scheme="light")
    assert complained(page) == ""
    # The other theme changes colours and nothing else.
    page.emulate_media(color_scheme="dark")
    assert complained(page, runOnly=["color-contrast"]) == ""
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


WORDLESS = [scene for scene in SCENES if not scene.is_worded]


@pytest.mark.parametrize("scene", WORDLESS, ids=lambda scene: scene.name)
def test_it_is_the_same_in_chinese(look, site, scene, complaints):
    page = look(scene.who)
    page.context.add_cookies([{"name": "language", "value": "zh-hans", "url": site.url}])
    shown(page, scene)
    if scene.is_refused:
        complaints.clear()
    assert page.locator("html").get_attribute("lang") == "zh-hans"
    # The other language changes words and no colour.
    assert complained(page, rules={"color-contrast": {"enabled": False}}) == ""
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize(
    "address", ["/?range=90d", "/imports/", "/prices/?search=jade", "/estimate/", "/keys/"]
)
def test_the_keyboard_is_always_seen(look, address, size):
    page = look("sample")
    page.set_viewport_size(size)
    page.goto(address)
    unfold(page)
    page.evaluate("document.body.focus()")
    for _step in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused["isBody"]:
            break
        assert focused["mark"] != "none", focused
        assert focused["thickness"] >= 1, focused
        assert focused["isSeen"], focused


def test_the_keyboard_reaches_the_content_first(look):
    page = look("sample")
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.locator(":focus").get_attribute("id") == "content"


def test_a_link_to_something_folded_unfolds_it(look):
    page = look("sample")
    for address in ("/prices/#credits", "/imports/#mapping"):
        page.goto(address)
        assert page.locator("details:target").get_attribute("open") is not None


def test_a_page_reads_without_scripts(site, browser, people):
    context = browser.new_context(base_url=site.url, java_script_enabled=False)
    context.add_cookies(people["sample"])
    page = context.new_page()
    page.goto("/?range=90d")
    page.wait_for_url("**whole=yes")
    assert page.get_by_text("Projected month end").is_visible()
    first = page.locator("figure").first
    first.get_by_text("The numbers of this chart").click()
    assert first.locator("table").is_visible()
    context.close()


def test_a_chosen_theme_is_there_on_the_next_page(look):
    page = look("sample")
    page.goto("/sessions/")
    page.get_by_role("button", name="Change the theme").click()
    page.get_by_role("button", name="Change the theme").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.goto("/keys/")
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_numbers_of_millions_stand_in_one_line_of_their_tiles(look):
    page = look("foreign")
    for address in ("/?range=30d", "/sessions/?range=30d", "/imports/"):
        page.goto(address)
        if address == "/imports/":
            page.locator("tbody th a").first.click()
        page.locator(".kpis").first.wait_for()
        for size in (DESK, PHONE):
            page.set_viewport_size(size)
            broken = page.locator(".kpis dd:not(.sub) data").evaluate_all(
                "(all) => all.filter((one) => one.getClientRects().length > 1)"
                ".map((one) => one.textContent)"
            )
            assert broken == []
