"""Explore of a latency: lines for each group, percentiles in the table, refused where nothing draws it."""

import pytest

from tests.factories import MembershipFactory
from tests.queries.posted import posted, priced_organization
from tests.web.october import OCTOBER, figures, read

pytestmark = pytest.mark.django_db


@pytest.fixture
def books(client):
    organization = priced_organization()
    posted(
        organization,
        *({"ttft_ms": 400.0} for _ in range(3)),
        {"response_model": "jade", "ttft_ms": 4_000.0, "place": {"user_id": "<i>ann"}},
    )
    client.force_login(MembershipFactory(organization=organization, role="owner").user)
    return organization


def test_each_group_and_the_whole_are_a_line(client, books):
    text = read(client, f"/explore/?{OCTOBER}&metric=ttft_p50")
    traces = figures(text)["ratio"]["data"]
    assert [trace["name"] for trace in traces] == ["opal", "jade", "All"]
    assert {trace["name"]: trace["y"][0] for trace in traces} == {
        "opal": pytest.approx(400, rel=0.025),
        "jade": pytest.approx(4_000, rel=0.025),
        "All": pytest.approx(400, rel=0.025),
    }
    assert traces[0]["y"][1] is None
    assert "Time to first token, p50" in text
    assert text.index(">opal</a>") < text.index(">jade</a>")
    assert "api/v1/latency?" in text


def test_what_single_requests_were_read_for_says_so(client, books):
    text = read(client, f"/explore/?{OCTOBER}&metric=ttft_p95&group=user&sub=model")
    names = [trace["name"] for trace in figures(text)["ratio"]["data"]]
    assert names == ["not named · opal", "&lt;i&gt;ann · jade", "All"]
    assert "&lt;i&gt;ann</a>" in text
    assert "By User and Model" in text
    assert "slow: many rows were read" in text


def test_nothing_that_tells_it_is_said(client, books):
    text = read(client, f"/explore/?{OCTOBER}&metric=tpot_p99")
    assert "Nothing in this range tells of this: Time per output token, p99." in text


@pytest.mark.parametrize("page", ["/", "/cache/", "/sessions/", "/requests/"])
def test_other_pages_do_not_draw_it(client, books, page):
    assert client.get(f"{page}?{OCTOBER}&metric=ttft_p95").status_code == 400


@pytest.mark.parametrize("query", ["chart=pie", "show=bogus", "page=x"])
def test_what_the_page_cannot_read_is_refused_in_words(client, books, query):
    answer = client.get(f"/explore/?{OCTOBER}&metric=ttft_p50&{query}")
    assert answer.status_code == 400
    assert "This address could not be read" in answer.content.decode()
    assert "Time to first token, p50" in answer.content.decode()
