"""The main job in a real browser: from a dropped file to a priced dashboard."""

import json
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.request import Request, urlopen

import pytest

from tests.browser.hands import DROP

pytestmark = pytest.mark.browser

TABLE = (
    "when,machine,tokens in,tokens out\n"
    "2026-10-10T12:00:00Z,loom-1,1000,100\n"
    "2026-10-10T12:01:00Z,loom-1,7,3\n"
)
#: The first chart of a page, once it is drawn.
DRAWN = "figure[data-chart=stack-0][data-drawn]"
FILE = Path(__file__).parent / "samples" / "session.jsonl"
OURS = "/?range=all&source=claude_code"


def numbers(page):
    """Every exact number of the overview's figures, as text."""
    return {found.get_attribute("value") for found in page.locator(".kpis data").all()}


def native(response_id, model, **counts):
    """One request in Tallybook's own format; the tests run in any order, so none shares a record."""
    counts = {"input_tokens": 5_000, "output_tokens": 500, **counts}
    line = {"id": response_id, "model": model, "started_at": "2026-10-05T12:00:00Z", **counts}
    return json.dumps(line) + "\n"


def test_a_dropped_file_becomes_a_priced_dashboard(page, site):
    told = site.manage("ingest", "--dry-run", "--json", str(FILE))[-1]

    page.goto("/imports/")
    page.evaluate(DROP, [FILE.name, FILE.read_text()])
    page.wait_for_url("**/imports/*/")
    page.locator("#progress[data-over=yes]").wait_for()
    sentence = page.locator(".outcome").inner_text()
    assert f"{told['requests']} requests" in sentence
    assert f"{told['rejected']} rejected" in sentence
    assert "not JSON at column 33" in page.locator("#rejections").inner_text()

    page.goto(OURS)
    page.locator(DRAWN).wait_for()
    wanted = {str(told[name]) for name in ("input_tokens", "output_tokens", "requests")}
    assert wanted | {told["cost"]["USD"]} <= numbers(page)

    page.goto("/sessions/?range=all&source=claude_code")
    assert page.get_by_text("0f6c3f0a-1111-4a31-9f5a-1f0f5c0e0a01").is_visible()
    page.get_by_role("link", name="In : out").click()
    page.wait_for_url("**order=-ratio**")
    page.locator("th[aria-sort=descending]", has_text="In : out").wait_for()
    assert page.locator("th[aria-sort=descending]").inner_text().strip() == "In : out"

    page.goto(OURS)
    page.get_by_role("link", name="1 request unpriced").click()
    page.get_by_role("link", name="Enter price of house-model-7b").click()
    assert page.get_by_label("Model", exact=True).input_value() == "house-model-7b"
    page.get_by_label("Input", exact=True).fill("0.5")
    page.get_by_label("Output", exact=True).fill("1.5")
    page.get_by_role("button", name="Add prices").click()
    assert "1 request has a cost now" in page.get_by_role("status").inner_text()

    page.goto(OURS)
    assert page.get_by_text("unpriced").count() == 0
    rows = site.manage(
        "report",
        "--from",
        "2026-11-01",
        "--to",
        "2026-12-01",
        "--group",
        "source",
        "--format",
        "json",
    )
    ours = next(row for row in rows if row["group"] == "claude_code")
    assert {ours["cost"]["USD"], str(ours["input_tokens"])} <= numbers(page)


def test_the_same_file_again_changes_nothing_and_says_so(page, site, tmp_path):
    path = tmp_path / "again.jsonl"
    path.write_text(native("again-1", "loom-2"))
    site.manage("ingest", "--json", str(path))
    page.goto("/imports/")
    page.locator("#files").set_input_files(path)
    page.wait_for_url("**/imports/*/")
    page.locator("#progress[data-over=yes]").wait_for()
    assert "All of it was in the books already" in page.locator(".outcome").inner_text()


def test_a_file_of_no_known_format_is_refused_in_words(page, complaints):
    page.goto("/imports/")
    page.evaluate(DROP, ["notes.txt", "Dear diary, today I spent nothing.\n"])
    assert page.locator(".uploads .chip.danger").inner_text() == "refused"
    page.get_by_role("link", name="notes.txt").first.click()
    page.wait_for_url("**/imports/*/")
    assert "unknown_format" in page.locator("#progress").inner_text()
    complaints.clear()  # Chromium itself reports the answer 422


def test_files_beside_a_refused_one_say_what_became_of_them(page, complaints):
    page.goto("/imports/")
    page.evaluate(DROP, ["beside.txt", "Dear diary, today I spent nothing.\n"])
    page.locator(".uploads .chip.danger").wait_for()
    page.locator("#files").set_input_files(
        [
            {"name": name, "mimeType": "", "buffer": body.encode()}
            for name, body in (("good.jsonl", native("beside-1", "loom-3")), ("no.txt", "Dear me"))
        ]
    )
    good = page.locator(".uploads li", has_text="good.jsonl")
    good.get_by_text("recorded: 1, duplicates: 0, rejected: 0").wait_for()
    assert good.locator(".chip.good").inner_text() == "done"
    assert page.locator("#list tr", has_text="good.jsonl").is_visible()
    good.get_by_role("link", name="good.jsonl").click()
    page.wait_for_url("**/imports/*/")
    complaints.clear()  # Chromium itself reports the answers 422


def test_a_table_of_no_known_format_is_explained_and_then_imported(page, complaints):
    page.goto("/imports/")
    page.evaluate(DROP, ["house.csv", TABLE])
    page.get_by_role("button", name="Say what its columns are").click()
    page.get_by_label("What when is").select_option("started_at")
    page.get_by_label("What machine is").select_option("model")
    page.get_by_label("What tokens in is").select_option("input_tokens")
    page.get_by_role("button", name="Save and import the file").click()
    assert "time is not said" in page.locator("#mapping .errorlist").inner_text()

    assert page.get_by_label("What machine is").input_value() == "model"
    page.get_by_label("What tokens out is").select_option("output_tokens")
    page.get_by_label("Times are").select_option("iso")
    page.get_by_role("button", name="Save and import the file").click()
    page.wait_for_url("**/imports/*/")
    page.locator("#progress[data-over=yes]").wait_for()
    assert "2 requests" in page.locator(".outcome").inner_text()
    complaints.clear()  # Chromium itself reports both answers 422


def test_a_corrected_price_is_shown_applied_and_undone(page, site):
    table = {
        "book": {"code": "own-usd", "currency": "USD"},
        "rates": [
            {"provider": "", "model": "mill-7b", "unit": unit, "price": price, "from": "2026-01-01"}
            for unit, price in (("input", "1"), ("output", "2"))
        ],
    }
    with NamedTemporaryFile("w", suffix=".json") as prices:
        json.dump(table, prices)
        prices.flush()
        site.manage("prices", "import", prices.name)
    with NamedTemporaryFile("w", suffix=".jsonl") as usage:
        usage.write(native("mill-1", "mill-7b", input_tokens=1_000_000, output_tokens=0))
        usage.flush()
        assert site.manage("ingest", "--json", usage.name)[-1]["cost"] == {"USD": "1"}

    page.goto("/prices/?model=mill-7b")
    page.get_by_label("Currency").first.fill("USD")
    page.get_by_role("textbox", name="In force from").fill("2026-10-01")
    page.get_by_label("Input", exact=True).fill("3")
    page.get_by_role("button", name="Add prices").click()

    page.get_by_role("link", name="Reprice past usage").click()
    page.get_by_label("From").fill("2026-10-01")
    page.get_by_label("Up to, not including").fill("2026-11-01")
    page.get_by_label("Model").select_option("mill-7b")
    page.get_by_role("button", name="Start a dry run").click()
    page.locator("#run[data-state=drafted]").wait_for()
    assert "the price changed" in page.locator("#run table").inner_text()
    page.get_by_role("button", name="Apply this difference").click()
    page.locator("#run[data-state=applied]").wait_for()
    page.goto("/?range=all&model=mill-7b")
    assert {"3", "1000000"} <= numbers(page)

    page.go_back()
    page.get_by_role("button", name="Undo").click()
    page.locator("#run[data-state=undone]").wait_for()
    page.goto("/?range=all&model=mill-7b")
    assert "1" in numbers(page)
    assert "3" not in numbers(page)


def test_names_with_markup_are_text_in_chart_and_table(page, site):
    name = "<img src=x onerror=alert(1)>\"'"
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto("/imports/")
    page.evaluate(DROP, [f"{name}.jsonl", native("markup-1", name)])
    page.wait_for_url("**/imports/*/")
    page.locator("#progress[data-over=yes]").wait_for()
    page.goto("/?range=all&metric=input_tokens")
    page.locator(DRAWN).wait_for()
    page.locator(f"{DRAWN} .plot").hover()
    assert page.get_by_role("link", name=name, exact=True).is_visible()
    assert page.locator("img").count() == 0


def test_a_test_event_turns_the_page_green_by_itself(page):
    page.goto("/sources/")
    page.get_by_role("button", name="Send a test event").click()
    page.locator("#deliveries[data-over=yes]").wait_for()
    assert "An event arrived and was read" in page.locator("#deliveries").inner_text()


def test_a_test_event_leaves_a_new_key_where_it_is(page):
    page.goto("/sources/")
    page.get_by_label("Name").fill("kept")
    page.get_by_role("button", name="Make key").click()
    key = page.locator("#new-key").inner_text()
    page.get_by_role("button", name="Send a test event").click()
    page.locator("#deliveries .chip.good").first.wait_for()
    assert page.locator("#new-key").inner_text() == key


def test_a_key_made_here_opens_the_door_and_is_seen_to(page, site):
    page.goto("/sources/")
    page.get_by_label("Name").fill("walk")
    page.get_by_role("button", name="Make key").click()
    key = page.locator("#new-key").inner_text()
    assert key in page.locator("#litellm").inner_text()
    page.evaluate("window.isTheSame = true")
    assert page.locator("#deliveries").get_attribute("data-over") == "no"
    request = Request(
        f"{site.url}/api/v1/events",
        data=native("walked-1", "loom-3").encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/x-ndjson"},
    )
    with urlopen(request, timeout=20) as answer:
        assert answer.status == 202
    page.locator("#deliveries[data-over=yes]").wait_for()
    assert "An event arrived and was read" in page.locator("#deliveries").inner_text()
    assert page.evaluate("window.isTheSame") is True


def test_the_language_is_one_click_away_and_stays(page):
    page.goto("/sources/")
    page.get_by_role("button", name="中文").click()
    assert page.get_by_role("heading", level=1).inner_text() == "来源"
    page.goto("/months/")
    assert page.locator("html").get_attribute("lang") == "zh-hans"
    page.get_by_role("button", name="English").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Months"
