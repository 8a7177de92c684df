"""The overview beside the range before: the ghost, the sentence, and where the month will end."""

import html
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone, translation

from tests.factories import UsageHourFactory
from tests.queries.posted import NOON
from tests.web.october import OCTOBER, curl_of, figures, october, read, values


@pytest.fixture
def books(client, db):
    return october(client)


def test_a_sentence_says_what_the_bill_is_made_of_and_what_changed(client, books):
    text = html.unescape(read(client, f"/?{OCTOBER}"))
    assert (
        "Input is 73.2 % of the bill (1.8 % for reading and writing caches), output 26.8 %." in text
    )
    assert "5.10 USD more than the 0.50 USD of 1 Sep 2026 to 30 Sep 2026: " in text
    causes = re.search(r"5.10 USD more than the [^:]+: ([^.]*(?:\.\d+[^.]*)*)\.", text)[1]
    amounts = [Decimal(found) for found in re.findall(r"[+−-][\d.]+", causes.replace("−", "-"))]
    assert sum(amounts) == Decimal("5.10")
    assert "more than the" not in read(client, f"/?{OCTOBER}&compare=none")


def test_the_chart_has_the_range_before_in_it(client, books):
    traces = figures(read(client, f"/?{OCTOBER}"))["stack-0"]["data"]
    assert [trace["name"] for trace in traces] == ["jade", "opal", "The period before"]
    alone = figures(read(client, f"/?{OCTOBER}&compare=none"))["stack-0"]["data"]
    assert [trace["name"] for trace in alone] == ["jade", "opal"]


def test_a_hit_rate_changes_in_points(client, books):
    text = read(client, "/?from=2026-10-02&to=2026-10-03")
    assert "▼ −33.3 pp" in text


def test_the_line_of_curl_gives_the_numbers_of_the_chart(client, books):
    text = read(client, f"/?{OCTOBER}&model=opal")
    answer = client.get(curl_of(text, "over-time")).json()
    assert [row["bucket"] for row in answer["rows"]] == ["2026-10-01"]
    assert answer["totals"]["cost"]["USD"] in values(text)


def test_the_month_is_drawn_to_its_end_with_a_band(page, organization):
    now = timezone.now()
    for ago in range(1, 21):
        UsageHourFactory(
            organization=organization, hour=now - timedelta(days=ago), cost=Decimal(10)
        )
    text = read(page, "/overview/month/")
    traces = figures(text)["projection-0"]["data"]
    assert [trace["name"] for trace in traces] == ["Low", "High", "Expected", "Spent so far"]
    assert traces[1]["fill"] == "tonexty"
    assert traces[3]["y"][-1] == 10.0 * (now.day - 1)
    assert "four times of five between" in text
    assert page.get(curl_of(text, "ahead")).json()["rows"][0]["expected"] in values(text)


def test_tables_and_shares_of_cost_read_in_chinese(client, books):
    client.cookies["language"] = "zh-hans"
    with translation.override("zh-hans"):
        text = read(client, f"/?{OCTOBER}&whole=yes")
        spread = read(client, f"/sessions/spread/?{OCTOBER}")
    assert '<th scope="col">模型</th>' in text
    assert '<th scope="col">项目</th>' in text
    assert '<th scope="row">50%</th>' in spread


def test_sentences_name_their_currency_where_there_are_several(client, books):
    assert "USD: Input is" not in read(client, f"/?{OCTOBER}")
    hour = {"organization": books, "hour": NOON, "model": "jade-9b", "currency": "CNY"}
    UsageHourFactory(**hour, cost=Decimal(2), cost_input=Decimal(2))
    text = html.unescape(read(client, f"/?{OCTOBER}"))
    assert "USD: Input is 73.2 % of the bill" in text
    assert "CNY: Input is 100.0 % of the bill" in text
