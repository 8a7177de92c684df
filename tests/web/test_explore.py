"""Explore: any cut, drawn and as a table, and the same numbers over REST."""

import html
import re

import pytest

from tests.queries.posted import NOON, posted
from tests.web.october import OCTOBER, curl_of, figures, october, read, values


@pytest.fixture
def books(client, db):
    return october(client)


def test_groups_are_ranked_by_the_metric_and_have_their_share(client, books):
    text = read(client, f"/explore/?{OCTOBER}")
    assert text.index(">jade</a>") < text.index(">opal</a>")
    assert {"4.5", "1.1", "5.6"} <= values(text)
    assert "80.4 %" in text
    assert "19.6 %" in text


def test_a_group_has_its_change_against_the_range_before(client, books):
    text = read(client, f"/explore/?{OCTOBER}")
    assert "up 120.0 % on the period before" in text
    assert "▲ 11×" in text
    assert "on the period before" not in read(client, f"/explore/?{OCTOBER}&compare=none")


def test_the_chart_has_the_compared_range_as_a_dotted_line(client, books):
    traces = figures(read(client, f"/explore/?{OCTOBER}"))["stack-0"]["data"]
    assert [trace["name"] for trace in traces] == ["jade", "opal", "The period before"]
    ghost = traces[-1]
    assert (ghost["type"], ghost["line"]["dash"]) == ("scatter", "dot")
    assert (len(ghost["y"]), ghost["y"][0], ghost["y"][30]) == (31, 0.5, None)


def test_a_column_leads_into_its_day_and_an_hour_to_its_requests(client, books):
    days = figures(read(client, f"/explore/?{OCTOBER}&model=opal"))["stack-0"]["links"]
    assert days[0] == "?from=2026-10-01&to=2026-10-02&model=opal&bucket=hour"
    hours = figures(read(client, f"/explore/{days[0]}"))["stack-0"]["links"]
    assert len(hours) == 24
    text = read(client, hours[12])
    assert "1 Oct 2026, 12:00:00" in text
    assert "1 Oct 2026, 12:00:00" not in read(client, hours[11])


@pytest.mark.parametrize("page", ["/", "/explore/", "/cache/"])
def test_a_single_day_is_drawn_by_its_hours(client, books, page):
    drawn = figures(read(client, f"{page}?from=2026-10-01&to=2026-10-02"))
    (key,) = {"stack-0", "ratio"} & drawn.keys()
    assert {len(trace["x"]) for trace in drawn[key]["data"]} == {24}


def test_a_second_dimension_makes_pairs(client, books):
    text = read(client, f"/explore/?{OCTOBER}&group=model&sub=project")
    names = [trace["name"] for trace in figures(text)["stack-0"]["data"]]
    assert names[:2] == ["jade · Search", "opal · Default"]
    assert "By Model and Project" in text


def test_amounts_can_be_added_up_or_shared(client, books):
    running = figures(read(client, f"/explore/?{OCTOBER}&show=cumulative"))["stack-0"]["data"]
    assert running[0]["y"][0:3] == [0.0, 4.5, 4.5]
    # September ends a day before October does.
    assert (running[-1]["name"], running[-1]["y"][29:]) == ("The period before", [0.5, None])
    shares = figures(read(client, f"/explore/?{OCTOBER}&show=share"))["stack-0"]["data"]
    assert [trace["customdata"][1] for trace in shares] == ["100.0 %", "0.0 %"]


def test_a_ratio_is_drawn_as_lines_with_gaps(client, books):
    traces = figures(read(client, f"/explore/?{OCTOBER}&metric=cache_hit_rate"))["ratio"]["data"]
    assert {trace["name"]: trace["y"][:3] for trace in traces} == {
        "opal": [1 / 3, None, None],
        "jade": [None, 0.0, None],
        "All": [1 / 3, 0.0, None],
    }


@pytest.mark.parametrize(
    ("order", "first"), [("output", "opal"), ("-output", "jade"), ("hit", "jade"), ("-hit", "opal")]
)
def test_the_table_sorts_by_its_columns(client, books, order, first):
    text = read(client, f"/explore/?{OCTOBER}&order={order}")
    assert re.search(r'<th scope="row" class="name"><a [^>]*>(\w+)</a>', text)[1] == first
    assert 'aria-sort="' in text


def test_what_no_sums_are_kept_of_is_marked_slow(client, books):
    for cut in ("group=team&bucket=hour", "group=tag:env&sub=agent&bucket=week"):
        assert "slow: many rows were read" in read(client, f"/explore/?{OCTOBER}&{cut}")
    for cut in ("group=team", "group=team&sub=user", "group=tag:env&sub=model&bucket=week"):
        assert "slow: read" not in read(client, f"/explore/?{OCTOBER}&{cut}")


@pytest.mark.parametrize(
    "query",
    [
        OCTOBER,
        f"{OCTOBER}&group=project&sub=model",
        f"{OCTOBER}&group=user&model!=jade&metric=input_tokens",
        f"{OCTOBER}&group=team&sub=user&bucket=week",
    ],
)
def test_the_line_of_curl_gives_the_numbers_of_the_table(client, books, query):
    text = read(client, f"/explore/?{query}")
    answer = client.get(curl_of(text, "groups")).json()
    shown = values(text)
    assert answer["rows"]
    for row in (*answer["rows"], answer["totals"]):
        assert {row["cost"]["USD"], str(row["input_tokens"])} <= shown


def test_a_value_narrows_and_with_shift_takes_out(client, books):
    text = html.unescape(read(client, f"/explore/?{OCTOBER}&page=1"))
    assert f'href="?{OCTOBER}&model=jade"' in text
    assert f'data-exclude="?{OCTOBER}&model%21=jade"' in text


def test_a_form_adds_a_condition_and_a_chip_turns_it_round(client, books):
    answer = client.get(
        "/conditions/",
        {"next": f"/explore/?{OCTOBER}&page=2", "name": "model", "relation": "!", "value": "opal"},
    )
    assert answer.headers["Location"] == f"/explore/?{OCTOBER}&model%21=opal"
    text = html.unescape(read(client, answer.headers["Location"]))
    assert f'href="?{OCTOBER}&model=opal"' in text


@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", ""])
def test_the_form_never_leads_to_another_site(client, books, back):
    answer = client.get("/conditions/", {"next": back, "name": "model", "value": "x"})
    assert answer.headers["Location"] == "/"


def test_slashes_of_a_path_name_no_other_site(client, books):
    back = "http://testserver//elsewhere.example/x"
    answer = client.get("/conditions/", {"next": back, "name": "model", "value": "x"})
    assert answer.headers["Location"] == "/elsewhere.example/x?model=x"


@pytest.mark.parametrize(
    "query", ["chart=pie", "show=all", "order=x", "page=x", "chart=bars&chart=lines", "metric=x"]
)
def test_what_the_page_cannot_read_is_refused_in_words(client, books, query):
    answer = client.get(f"/explore/?{query}")
    assert answer.status_code == 400
    assert "This address could not be read" in answer.content.decode()


def test_more_columns_than_can_be_drawn_are_said_to_be(client, books):
    text = read(client, "/explore/?from=2026-08-01&to=2026-11-01&bucket=hour")
    assert "These are more columns than can be drawn." in text
    assert "6.1" in values(text)


def test_the_days_around_are_one_click_away(client, books):
    text = html.unescape(read(client, "/explore/?from=2026-10-02&to=2026-10-03&bucket=hour"))
    assert 'href="?from=2026-10-01&to=2026-11-01&bucket=day" title="Oct 2026"' in text
    assert 'href="?from=2026-10-01&to=2026-10-02&bucket=hour" title="1 Oct 2026"' in text
    assert 'href="?from=2026-10-03&to=2026-10-04&bucket=hour" title="3 Oct 2026"' in text


def test_what_has_no_team_is_told_in_the_readers_language_and_asked_by_its_name(client, books):
    posted(books, {"response_model": "opal"}, at=NOON)
    chinese = {"Accept-Language": "zh-CN"}
    address = f"/explore/?{OCTOBER}&metric=requests&group=team"
    text = client.get(address, headers=chinese).content.decode()
    assert [trace["name"] for trace in figures(text)["stack-0"]["data"]][:2] == ["red", "无"]
    assert re.search(r'team=none"[^>]*>无</a>', text)
    chips = client.get(f"{address}&team=none", headers=chinese).content.decode()
    assert '<strong class="wrap-anywhere">无</strong>' in chips
