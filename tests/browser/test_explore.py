"""Exploring with a mouse: into a column, out with Shift, away with the question, and onto paper."""

import json

import pytest

from tests.browser.hands import Hands
from tests.browser.test_walk import native

pytestmark = pytest.mark.browser
HIDDEN = """() => getComputedStyle(document.querySelector(".rail")).display"""
BARS = "figure .bars .point path"
WIDTHS = (
    """() => [...document.querySelectorAll(".plot svg.main-svg")].map((one) => one.clientWidth)"""
)


@pytest.fixture
def explored(page, site, tmp_path):
    """Two models of one day of October, on the page that compares them."""
    path = tmp_path / "explored.jsonl"
    path.write_text(native("explore-1", "spruce-1") + native("explore-2", "walnut-1"))
    site.manage("ingest", "--json", str(path))
    page.goto(
        "/explore/?from=2026-10-01&to=2026-11-01&metric=input_tokens&model~=spruce&model~=walnut"
    )
    page.locator("figure[data-drawn]").wait_for()
    return page


def test_a_click_on_a_column_leads_into_its_day_and_on_to_its_requests(explored):
    hands = Hands(explored)
    hands.click_on_chart(BARS)
    explored.wait_for_url("**bucket=hour**")
    explored.get_by_text("most on 5 Oct 2026, 17:00").first.wait_for()
    hands.click_on_chart(BARS)
    explored.wait_for_url("**/requests/**")
    for model in ("spruce-1", "walnut-1"):
        explored.get_by_role("link", name=model, exact=True).wait_for()


def test_shift_takes_a_value_out_and_its_chip_brings_it_back(explored):
    explored.get_by_role("link", name="spruce-1", exact=True).click(modifiers=["Shift"])
    explored.wait_for_url("**model%21=spruce-1**")
    assert explored.get_by_role("link", name="spruce-1", exact=True).count() == 0
    chip = explored.locator(".conditions .chip", has_text="is not")
    chip.get_by_role("link", name="Remove this condition").click()
    explored.get_by_role("link", name="spruce-1", exact=True).wait_for()


def test_the_question_is_copied_as_curl_and_answers_the_same(explored):
    explored.context.grant_permissions(["clipboard-read", "clipboard-write"])
    explored.locator("#groups .share summary").click()
    explored.locator("#groups").get_by_role("button", name="Copy as curl").click()
    explored.locator("#groups").get_by_text("Copied").wait_for()
    line = explored.evaluate("navigator.clipboard.readText()")
    assert line.startswith('curl -H "Authorization: Bearer YOUR-KEY" ')
    answer = json.loads(explored.request.get(line.split("'")[1]).text())
    assert [row["group"] for row in answer["rows"]] == ["spruce-1", "walnut-1"]
    assert answer["totals"]["input_tokens"] == 10_000


def test_a_condition_is_added_by_the_form(explored):
    explored.get_by_text("Add a filter").click()
    explored.get_by_label("How", exact=True).select_option("!")
    explored.get_by_label("Value", exact=True).fill("walnut-1")
    explored.get_by_role("button", name="Add", exact=True).click()
    explored.wait_for_url("**model%21=walnut-1**")
    assert explored.get_by_role("link", name="walnut-1", exact=True).count() == 0


def test_on_paper_there_is_no_frame_and_charts_fit(explored):
    explored.emulate_media(media="print", color_scheme="dark")
    explored.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    explored.locator(".plot svg.main-svg[width='660']").first.wait_for()
    assert explored.evaluate(HIDDEN) == "none"
    # A theme that changes meanwhile, as it does when a dark page is printed, draws for paper, too.
    explored.emulate_media(media="print", color_scheme="light")
    explored.wait_for_timeout(500)
    assert set(explored.evaluate(WIDTHS)) == {660}
    explored.evaluate("window.dispatchEvent(new Event('afterprint'))")
