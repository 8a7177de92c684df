"""One session turn by turn, and how all of them are spread."""

import html
import re
from decimal import Decimal

import pytest

from accounting.queries import session_spread as spread
from accounting.queries.session_spread import RatioBin, session_spread
from accounting.web.views import requests
from tests.factories import MembershipFactory, SessionTotalFactory
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization
from tests.web.october import OCTOBER, figures, october, read


@pytest.fixture
def books(client, db):
    organization = october(client)
    posted(
        organization,
        {"session_id": "long", "input_tokens": 1000, "output_tokens": 100},
        {
            "session_id": "long",
            "input_tokens": 3000,
            "cache_read_input_tokens": 1000,
            "output_tokens": 0,
        },
        at=NOON,
    )
    return organization


def test_turns_are_stacked_by_kind_with_the_cost_so_far(client, books):
    traces = figures(read(client, "/sessions/one/?id=long"))["turns"]["data"]
    drawn = {trace["name"]: trace["y"] for trace in traces}
    assert sorted(drawn["Uncached input"]) == [1000.0, 2000.0]
    assert sorted(drawn["Cached input"]) == [0.0, 1000.0]
    assert max(drawn["Cost so far"]) == 0.0016075
    assert next(trace for trace in traces if trace["name"] == "Cost so far")["yaxis"] == "y2"


def test_each_turn_names_the_prices_it_was_charged_with(client, books):
    text = read(client, "/sessions/one/?id=long")
    assert "1,000 × 0.50 / 1,000,000 = 0.0005 USD" in text
    assert "<code>input.cache_read</code> 0.10" in text


def test_a_long_session_has_pages(client, books, monkeypatch):
    monkeypatch.setattr(requests, "PAGE_TURNS", 1)
    text = read(client, "/sessions/one/?id=long")
    assert len(re.findall(r"/requests/[0-9a-f]{32}/", text)) == 1
    assert 'rel="next"' in text
    assert "in the end" not in text
    after = re.search(r'rel="next" href="([^"]*)"|href="([^"]*)" rel="next"', text)
    behind = read(client, f"/sessions/one/{html.unescape(after[1] or after[2])}")
    assert figures(behind)["turns"]["data"][0]["x"] == ["2"]
    assert "in the end" in behind
    assert client.get("/sessions/one/?id=long&after=nonsense").status_code == 404


def session(organization, number, **fields):
    SessionTotalFactory(
        organization=organization, session_id=f"s-{number}", started_at=NOON, **fields
    )


def test_ratios_fall_into_bins_of_powers_of_two(db):
    organization = priced_organization()
    for number, sent in enumerate([50, 100, 199, 200, 399, 1600]):
        session(organization, number, input_tokens=sent, output_tokens=100)
    session(organization, 7, input_tokens=100, output_tokens=0)
    found = session_spread(wanted(organization))
    assert found.bins == tuple(
        RatioBin(power=power, sessions=count)
        for power, count in [(-1, 1), (0, 2), (1, 2), (2, 0), (3, 0), (4, 1)]
    )
    assert (found.sessions, found.with_output, len(found.points)) == (7, 6, 6)


def test_costs_are_percentiles_of_what_is_priced(db):
    organization = priced_organization()
    for number in range(1, 11):
        session(organization, number, cost=Decimal(number))
    session(organization, 11, currency="", cost=Decimal(0))
    found = session_spread(wanted(organization))
    assert (found.priced, len(found.costs)) == (10, 100)
    assert [found.costs[percent - 1] for percent in (10, 50, 90, 100)] == [1, 5, 9, 10]


def test_sessions_that_cost_nothing_draw_no_curve_of_costs(client, db):
    member = MembershipFactory(organization=priced_organization())
    client.force_login(member.user)
    for number in range(3):
        session(member.organization, number, input_tokens=100, output_tokens=10, cost=Decimal(0))
    assert "costs" not in figures(read(client, f"/sessions/spread/?{OCTOBER}"))


def test_a_sample_is_told_to_be_one(client, books, monkeypatch):
    for number in range(5):
        session(books, number, input_tokens=1000 * (number + 1), output_tokens=100)
    text = read(client, f"/sessions/spread/?{OCTOBER}")
    assert "All 6 sessions with output" in text
    assert len(figures(text)["cloud"]["links"]) == 6
    assert spread.MOST_POINTS == 2000


def test_the_cloud_has_a_tick_before_its_first_point_and_one_behind_its_last(client, books):
    text = read(client, f"/sessions/spread/?{OCTOBER}")
    cloud = figures(text)["cloud"]
    for axis, values in (("xaxis", cloud["data"][0]["x"]), ("yaxis", cloud["data"][0]["y"])):
        ticks = cloud["layout"][axis]["tickvals"]
        assert ticks[0] <= min(values)
        assert ticks[-1] >= max(values)
        start, end = cloud["layout"][axis]["range"]
        assert 10**start < ticks[0] < ticks[-1] < 10**end


def test_the_sessions_page_asks_for_the_charts_and_links_to_them(client, books):
    text = read(client, f"/sessions/?{OCTOBER}")
    assert f'hx-get="/sessions/spread/?{OCTOBER.replace("&", "&amp;")}"' in text
    part = client.get(f"/sessions/spread/?{OCTOBER}", headers={"HX-Request-Type": "partial"})
    assert part.content.decode().lstrip().startswith('<div class="stack" id="spread">')


def test_nothing_to_spread_is_said(client, books):
    assert "No session started in this range." in read(
        client, "/sessions/spread/?from=2021-01-01&to=2021-02-01"
    )
