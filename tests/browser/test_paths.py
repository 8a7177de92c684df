"""The jobs that people come for, in both languages, in no more clicks than the plan of the pages says."""

import json
import subprocess
from decimal import Decimal

import openpyxl
import pytest
from django.utils import translation

from tests.browser.conftest import OWNER, watched
from tests.browser.hands import Hands
from tests.browser.test_walk import native

pytestmark = pytest.mark.browser
EXACT = "(all) => all.map((one) => one.value)"


@pytest.fixture(params=["en", "zh-hans"])
def language(request):
    with translation.override(request.param):
        yield request.param


@pytest.fixture
def opened(site, browser, both, language, complaints):
    """Opens a page as somebody who reads this language; in the end no console has a word in it."""
    contexts = []

    def page(who):
        context = browser.new_context(base_url=site.url, reduced_motion="reduce")
        context.add_cookies([*both[who], {"name": "language", "value": language, "url": site.url}])
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(30_000)
        contexts.append(context)
        return watched(context, complaints)

    complaints.clear()
    yield page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def hands(opened):
    return Hands(opened(OWNER))


def word(text):
    """How the page says it."""
    return translation.gettext(text)


def link(page, text):
    return page.get_by_role("link", name=word(text), exact=True)


def button(page, text):
    return page.get_by_role("button", name=word(text), exact=True)


def kpi(page, text):
    return page.locator(".kpis > div").filter(has=page.get_by_text(word(text), exact=True))


def copied(page):
    page.get_by_text(word("Copied")).first.wait_for()
    return page.evaluate("navigator.clipboard.readText()")


def spend(page):
    """The exact spend of the range, as the tile of the Overview has it."""
    return Decimal(kpi(page, "Spend").locator("data").first.get_attribute("value"))


def test_a_planner_sees_where_the_month_will_end_at_once(hands):
    page = hands.page
    page.goto("/")
    told = page.request.get("/api/v1/projection").json()["rows"][0]
    tile = kpi(page, "Projected month end")
    tile.locator("data").first.wait_for()
    assert tile.locator("data").first.is_visible()
    assert tile.locator("data").first.get_attribute("value") == told["expected"]
    assert hands.clicks == 0


def test_a_planner_learns_the_credits_of_a_launch_and_shares_them(hands, opened):
    page = hands.page
    page.goto("/")
    hands.click(link(page, "Estimate"))
    hands.fill(page.get_by_label(word("Input tokens")), "2000000")
    hands.fill(page.get_by_label(word("Cached share")), "0")
    hands.fill(page.get_by_label(word("Output per input")), "0.25")
    page.keyboard.press("Enter")
    page.wait_for_url("**input_tokens=2000000**")
    row = page.locator("tr", has=page.get_by_text("harbor-32b")).last  # sessions come before tokens
    # 2,000,000 at 0.40 and 500,000 at 1.60 a million; a credit costs 0.001.
    assert row.locator("data").last.get_attribute("value") == "1.6"
    assert "1,600.00" in row.inner_text()
    assert (hands.clicks, hands.fields) == (1, 3)

    hands.click(button(page, "Copy link"))
    other = opened(f"{OWNER}-too")
    other.goto(copied(page))
    assert hands.clicks == 2
    shown = page.locator("data").evaluate_all(EXACT)
    assert "1.6" in shown
    assert other.locator("data").evaluate_all(EXACT) == shown


def test_a_planner_shares_a_view_with_one_click(hands, opened):
    page = hands.page
    page.goto("/?range=last_month&model=gpt-5&metric=input_tokens")
    hands.click(button(page, "Copy link"))
    address = copied(page)
    assert hands.clicks == 1
    # It has the days of today's last month, whenever it is opened.
    assert "range=" not in address
    assert "model=gpt-5&metric=input_tokens&from=" in address
    other = opened(f"{OWNER}-too")
    other.goto(address)
    for one in (page, other):
        one.locator("[data-part]").first.wait_for(state="detached")
    shown = page.locator("data").evaluate_all(EXACT)
    assert len(shown) > 10
    assert other.locator("data").evaluate_all(EXACT) == shown


def test_an_engineer_imports_a_log_with_one_drag(hands, language):
    page = hands.page
    page.goto("/imports/")
    name = f"dragged-{language}"
    hands.drop(f"{name}.jsonl", native(f"{name}-1", "cedar-1") + native(f"{name}-2", "cedar-1"))
    page.wait_for_url("**/imports/*/")
    page.locator("#progress[data-over=yes]").wait_for()
    told = translation.ngettext("%(shown)s request", "%(shown)s requests", 2) % {"shown": "2"}
    assert link(page, told).is_visible()
    assert (hands.clicks, hands.drags) == (0, 1)


def test_an_engineer_comes_from_a_day_to_the_turn_that_cost(hands):
    page = hands.page
    page.goto("/cache/?range=30d")
    hands.click_on_chart("figure .scatterlayer .points path")
    page.wait_for_url("**/sessions/?**")
    hands.click(page.locator("#rows tbody th a").first)
    page.wait_for_url("**/sessions/one/**")
    hands.click(page.locator("table tbody th a[href*='requests']").first)
    page.wait_for_url("**/requests/*/**")
    assert hands.clicks == 3


def test_an_engineer_puts_two_runs_side_by_side(hands):
    page = hands.page
    page.goto("/benchmarks/")
    hands.click(page.get_by_role("link", name=word("Compare")).first)
    hands.click(page.get_by_role("link", name=word("Put beside")).first)
    page.get_by_role("heading", name=word("Two runs side by side"), level=1).wait_for()
    assert hands.clicks == 2


def test_finance_exports_a_filtered_month_that_sums_to_the_screen(hands, tmp_path):
    page = hands.page
    page.goto("/?range=last_month&model=gpt-5")
    shown = spend(page)
    panel = page.locator("#over-time")
    with page.expect_download() as download:
        hands.click(panel.get_by_text(word("Share or export")))
        hands.click(panel.get_by_role("link", name="XLSX"))
    download.value.save_as(tmp_path / "month.xlsx")
    head, *rows = openpyxl.load_workbook(tmp_path / "month.xlsx").active.iter_rows(values_only=True)
    column = next(place for place, name in enumerate(head) if "USD" in str(name))
    assert shown > 1
    assert sum(Decimal(str(row[column])) for row in rows if row[column] is not None) == shown
    assert hands.clicks == 2


def test_a_program_asks_with_the_line_of_the_page(hands, key):
    page = hands.page
    page.goto("/?range=last_month&model=gpt-5")
    panel = page.locator("#over-time")
    hands.click(panel.get_by_text(word("Share or export")))
    hands.click(panel.get_by_role("button", name=word("Copy as curl")))
    done = subprocess.run(
        ["sh", "-c", copied(page).replace("YOUR-KEY", key)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    totals = json.loads(done.stdout)["totals"]
    assert Decimal(totals["cost"]["USD"]) == spend(page) > 1
    assert hands.clicks == 2
