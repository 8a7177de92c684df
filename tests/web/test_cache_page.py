"""Cache: what was hit, what that saved, and what moved it."""

import pytest

from tests.web.october import OCTOBER, curl_of, figures, october, read, values


@pytest.fixture
def books(client, db):
    return october(client)


def test_the_page_says_what_caches_saved(client, books):
    text = read(client, f"/cache/?{OCTOBER}")
    assert "25.0 %" in text  # 1,000,000 of 4,000,000
    assert "0.4" in values(text)  # 1,000,000 at 0.1 instead of 0.5
    assert "33.3 %" in text


def test_the_line_of_curl_gives_the_numbers_of_the_table(client, books):
    text = read(client, f"/cache/?{OCTOBER}&group=project")
    answer = client.get(curl_of(text, "savings")).json()
    assert [row["group"] for row in answer["rows"]] == ["default", "search"]
    for row in answer["rows"]:
        for cost in row["costs"].values():
            assert {cost["saved"], cost["write_premium"], cost["net"]} <= values(text)


def test_what_moved_it_comes_to_the_difference(client, books):
    days = "from=2026-10-02&to=2026-10-03"
    text = read(client, f"/cache/?{days}")
    assert "From 33.3 % in the range before to 0.0 %" in text
    assert "−33.3 pp" in text
    assert "What moved it" not in read(client, f"/cache/?{days}&compare=none")


def test_the_rate_over_time_has_gaps(client, books):
    drawn = figures(read(client, f"/cache/?{OCTOBER}"))["ratio"]
    assert drawn["data"][-1]["y"][:3] == [1 / 3, 0.0, None]


def test_without_a_cache_the_page_says_that_nothing_is_known(client, books):
    text = read(client, "/cache/?from=2026-09-01&to=2026-10-01")
    assert "Nothing in this range tells how much of its input came from a cache." in text
