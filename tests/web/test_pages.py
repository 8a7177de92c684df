"""Every page answers, with books and without."""

import pytest
from django.urls import reverse

from tests.factories import ImportFactory, SessionTotalFactory, UsageHourFactory

PAGES = (
    "overview",
    "overview.month",
    "overview.projects",
    "overview.sessions",
    "explore",
    "cache",
    "requests",
    "sessions",
    "benchmarks",
    "estimate",
    "prices",
    "prices.reprice",
    "months",
    "imports",
    "imports.formats",
    "keys",
    "sources",
    "settings",
)
SENTINEL = "<script>alert('x')</script>\"&'"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_answers_while_the_books_are_empty(page, name):
    assert page.get(reverse(name)).status_code == 200


@pytest.mark.parametrize("name", PAGES)
def test_a_page_answers_with_books(page, books, name):
    assert page.get(reverse(name)).status_code == 200


@pytest.mark.parametrize("name", PAGES)
def test_a_stranger_is_sent_to_sign_in(client, db, name):
    answer = client.get(reverse(name))
    assert answer.headers["Location"].startswith("/sign-in/?next=")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_sets_a_policy_without_unsafe_script(page, name):
    policy = page.get(reverse(name)).headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy


def test_the_empty_overview_says_three_ways_to_start(page):
    text = page.get("/").content.decode()
    assert "Drop a file" in text
    assert "Send from your gateway" in text
    assert "Look at sample data" in text


def test_the_overview_shows_the_sums(page, books):
    text = page.get("/?whole=yes").content.decode()
    assert "0.1922" in text
    assert "69.9 : 1" in text
    assert "68.6 %" in text


def test_the_overview_counts_what_has_no_price(page, books):
    text = page.get("/").content.decode()
    assert "2 requests unpriced, 330 tokens" in text
    assert 'href="/prices/#missing"' in text


@pytest.mark.parametrize("name", ["overview", "sessions"])
def test_a_part_without_a_price_shows_though_it_is_no_request(page, organization, hour, name):
    unpriced = {"requests": 0, "output_tokens": 40, "unpriced_tokens": 40, "currency": ""}
    UsageHourFactory(organization=organization, hour=hour, **unpriced)
    SessionTotalFactory(
        organization=organization, session_id="s-1", started_at=hour, ended_at=hour, **unpriced
    )
    assert "40 tokens unpriced" in page.get(reverse(name)).content.decode()


def test_the_chart_travels_as_json_with_a_caption_and_a_table(page, books):
    text = page.get("/").content.decode()
    assert '<script id="stack-0" type="application/json">' in text
    assert "the largest part is claude-sonnet-4-5" in text
    assert "The numbers of this chart" in text


@pytest.mark.parametrize("query", ["range=nonsense", "from=2026-13-01", "model=a&bucket=x", "y=1"])
@pytest.mark.parametrize("name", ["overview", "sessions"])
def test_an_address_that_can_not_be_read_is_refused_in_words(page, books, name, query):
    answer = page.get(f"{reverse(name)}?{query}")
    assert answer.status_code == 400
    assert "This address could not be read" in answer.content.decode()


def test_a_condition_is_a_chip_that_takes_itself_away(page, books):
    text = page.get("/?range=30d&model=house-model").content.decode()
    assert 'href="?range=30d"' in text


@pytest.mark.parametrize("value", ["", "none"])
def test_a_condition_on_what_has_none_takes_itself_away_however_it_is_written(page, books, value):
    text = page.get(f"/?range=30d&team={value}").content.decode()
    assert 'href="?range=30d"' in text
    assert 'href="?range=30d&amp;team%21=none"' in text


def test_a_range_without_usage_says_so_and_leads_on(page, books):
    text = page.get("/?from=2021-01-01&to=2021-02-01").content.decode()
    assert "No usage in this range." in text


@pytest.mark.parametrize("order", ["started", "-input", "cached", "-output", "ratio", "-cost"])
def test_sessions_are_sorted_by_each_column(page, books, order):
    answer = page.get(f"/sessions/?range=30d&order={order}")
    assert answer.status_code == 200
    assert 'aria-sort="' in answer.content.decode()


@pytest.mark.parametrize("query", ["order=nonsense", "after=nonsense", "order=input&after=1e9~x"])
def test_a_cursor_or_order_that_does_not_fit_is_refused(page, books, query):
    assert page.get(f"/sessions/?{query}").status_code == 400


def test_names_with_markup_are_text(page, organization, project, hour):
    UsageHourFactory(organization=organization, hour=hour, project_id=project.pk, model=SENTINEL)
    ImportFactory(organization=organization, name=SENTINEL)
    for name in PAGES:
        assert "<script>alert" not in page.get(reverse(name)).content.decode()


def test_the_frame_names_the_language_and_skips_to_the_content(page):
    text = page.get("/").content.decode()
    assert '<html lang="en"' in text
    assert 'href="#content"' in text


def test_the_theme_goes_round_and_is_remembered(page):
    answer = page.post("/theme", {"next": "/sessions/"})
    assert answer.headers["Location"] == "/sessions/"
    assert page.cookies["theme"].value == "light"
    assert 'data-theme="light"' in page.get("/").content.decode()


def test_the_theme_never_leads_to_another_site(page):
    assert page.post("/theme", {"next": "https://elsewhere.example/"}).headers["Location"] == "/"


def test_where_nothing_was_used_nothing_was_spent(page, books):
    text = page.get("/?from=2026-01-01&to=2026-01-02").content.decode()
    assert "nothing priced" not in text
    assert "no usage</dd>" in text


def test_an_import_without_a_name_is_called_by_how_it_came(page, books):
    ImportFactory(organization=books, name="", door="demo")
    text = page.get("/").content.decode()
    assert ">sample data</a>" in text


def test_the_sample_is_called_so_in_the_readers_language_and_files_keep_their_names(
    page, organization
):
    ImportFactory(organization=organization, name="Sample data", door="demo")
    ImportFactory(organization=organization, name="/srv/logs/page")
    page.cookies["language"] = "zh-hans"
    text = page.get("/imports/").content.decode()
    assert ">示例数据</a>" in text
    assert ">page</a>" in text


def test_a_range_of_one_day_names_it_once(page, books):
    text = page.get("/?from=2026-10-01&to=2026-10-02").content.decode()
    assert "1 Oct 2026 – 1 Oct 2026" not in text
    assert "</svg>1 Oct 2026</summary>" in text
