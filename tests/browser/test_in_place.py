"""What a first look transfers, and that what follows changes the page in place."""

import pytest

from bench.weighing import MOST_BYTES, weighing
from tests.browser.conftest import OWNER, watched

pytestmark = pytest.mark.browser
FRESH = "figure[data-drawn]"
#: Gone with the page it was written on.
MARK, MARKED = "window.isTheSame = true", "window.isTheSame === true"


@pytest.fixture
def own(site, browser, both, complaints):
    """A page of the owner of the books of golden paths."""
    context = browser.new_context(base_url=site.url, reduced_motion="reduce")
    context.add_cookies(both[OWNER])
    context.set_default_timeout(30_000)
    complaints.clear()
    yield watched(context, complaints)
    context.close()
    assert complaints == []


@pytest.fixture
def looked_at(own):
    """The Overview of thirty days, drawn and marked."""
    own.goto("/?range=30d")
    own.locator(FRESH).first.wait_for()
    own.evaluate(MARK)
    return own


def spend(page):
    return page.locator(".kpis data").first.get_attribute("value")


def test_a_first_look_at_the_overview_transfers_little(own):
    seen = weighing(own)("/?range=90d")
    print(f"Overview of 90 days: {seen.transferred:,} bytes in {seen.requests} requests")
    assert own.locator(FRESH).count() == 2
    assert 300_000 < seen.transferred <= MOST_BYTES


def test_another_range_comes_in_place_and_keeps_the_focus(looked_at):
    before = spend(looked_at)
    looked_at.get_by_role("link", name="90 days").click()
    looked_at.wait_for_url("**/?range=90d")
    looked_at.locator("a[aria-current=true]", has_text="90 days").wait_for()
    looked_at.locator(FRESH).first.wait_for()
    assert spend(looked_at) != before
    assert looked_at.locator(":focus").inner_text() == "90 days"
    assert looked_at.locator(".bar input[name=next]").first.input_value() == "/?range=90d"
    assert looked_at.evaluate(MARKED)


def test_a_value_its_chip_and_the_way_back_stay_on_the_page(looked_at):
    before = spend(looked_at)
    chip = looked_at.locator(".conditions .chip")
    looked_at.locator("#models").get_by_role("link", name="gpt-5", exact=True).click()
    chip.first.wait_for()
    assert spend(looked_at) != before
    looked_at.go_back()
    chip.first.wait_for(state="detached")
    assert spend(looked_at) == before
    looked_at.go_forward()
    chip.first.wait_for()
    looked_at.get_by_role("link", name="Remove this condition").click()
    chip.first.wait_for(state="detached")
    looked_at.wait_for_url("**/?range=30d")
    assert spend(looked_at) == before
    assert looked_at.evaluate(MARKED)


def test_the_forms_of_days_and_conditions_answer_in_place(looked_at):
    looked_at.locator(".ranges details:not(.views) summary").click()
    looked_at.get_by_label("From").fill("2026-01-01")
    looked_at.get_by_role("button", name="Show").click()
    looked_at.wait_for_url(lambda address: "from=2026-01-01" in address and "30d" not in address)
    looked_at.get_by_text("Add a filter").click()
    looked_at.get_by_label("Value", exact=True).fill("gpt-5")
    looked_at.get_by_role("button", name="Add", exact=True).click()
    looked_at.wait_for_url("**/?*model=gpt-5")
    looked_at.locator(".conditions .chip").wait_for()
    assert looked_at.evaluate(MARKED)


def test_a_column_of_the_chart_is_drawn_anew_in_place(looked_at):
    looked_at.locator("figure summary").first.click()
    looked_at.locator("figure tbody th a").last.click()
    looked_at.wait_for_url("**bucket=hour**")
    looked_at.locator(FRESH).first.wait_for()
    assert looked_at.evaluate(MARKED)


def test_the_spread_of_sessions_follows_their_range(own):
    own.goto("/sessions/?range=90d")
    own.locator(f"#spread {FRESH}").first.wait_for()
    own.evaluate(MARK)
    caption = own.locator("#spread figcaption").first.inner_text()
    own.get_by_role("link", name="7 days").click()
    own.wait_for_url("**range=7d**")
    own.locator("#spread figcaption").first.filter(has_not_text=caption).wait_for()
    own.locator(f"#spread {FRESH}").first.wait_for()
    assert own.evaluate(MARKED)


def test_who_is_signed_out_meanwhile_is_asked_to_sign_in(looked_at):
    looked_at.context.clear_cookies()
    looked_at.get_by_role("link", name="90 days").click()
    looked_at.wait_for_url("**/sign-in/**")
    assert looked_at.get_by_label("Password").is_visible()
