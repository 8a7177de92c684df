"""Pages: every row once in one order whatever comes meanwhile, and totals that are never a page's.

The kind API-PAGING of failures that systems like this one had: B268, B270, B271, B273.
"""

from datetime import timedelta

import pytest
from django.core import signing

from accounting.models import UsageEvent
from accounting.services.statistics import after_import
from tests.api.asking import OCTOBER, asker
from tests.factories import SessionTotalFactory, UsageHourFactory
from tests.queries.posted import NOON, posted, priced_organization

DAY = timedelta(days=1)


def many(organization, count, start=0):
    """So many requests, a second apart, each its own session."""
    for first in range(start, start + count, 500):
        rows = [
            {
                "at": NOON + timedelta(seconds=n),
                "response_id": f"r{n}",
                "session_id": f"s{n}",
                "input_tokens": 100,
                "output_tokens": 10,
            }
            for n in range(first, min(first + 500, start + count))
        ]
        posted(organization, *rows)
    after_import(count)


def test_b268_the_total_of_2500_rows_stands_on_each_of_three_pages(asks, priced):
    many(priced, 2_500)
    for path in ("requests", "sessions"):
        pages = asks.pages(path, limit=1_000, **OCTOBER)
        assert [len(page["rows"]) for page in pages] == [1_000, 1_000, 500]
        for page in pages:
            assert page["totals"]["requests"] == 2_500
            assert page["totals"]["cost"] == {"USD": "0.126875"}
    week = asks("requests", **{"from": "2026-09-28", "to": "2026-10-05"}).json()["totals"]
    minute = asks("requests", **{"from": "2026-09-01", "to": "2026-10-01"}).json()["totals"]
    assert (week["requests"], minute["requests"]) == (2_500, 0)


def test_b270_a_request_with_three_tags_costs_one_dollar_in_all_and_under_each_tag(asks, priced):
    tags = tuple((key, "yes") for key in "abc")
    posted(priced, {"input_tokens": 2_000_000, "output_tokens": 0, "place": {"tags": tags}})
    for key in "abc":
        body = asks.october("usage", group=f"tag:{key}")
        assert [(row["group"], row["cost"]) for row in body["rows"]] == [("yes", {"USD": "1"})]
        assert body["totals"]["cost"] == {"USD": "1"}
    schema = asks.client.get("/api/schema/").json()
    assert "Tags overlap" in schema["paths"]["/api/v1/usage"]["get"]["description"]


@pytest.mark.slow
def test_b271_a_count_above_ten_thousand_is_exact(asks, priced):
    many(priced, 12_000)
    assert asks.october("requests", limit=1)["totals"]["requests"] == 12_000
    assert asks.october("sessions", limit=1)["totals"]["sessions"] == 12_000
    assert asks.october("usage")["totals"]["requests"] == 12_000


def test_b273_a_range_of_many_pages_is_summed_by_the_server_in_one_answer(asks, priced):
    many(priced, 30)
    assert len(asks.pages("requests", limit=2, **OCTOBER)) == 15
    (row,) = asks.october("usage", bucket="day")["rows"]
    assert (row["requests"], row["input_tokens"]) == (30, 3_000)


def test_rows_that_arrive_meanwhile_move_no_page(asks, priced):
    many(priced, 6)
    there = {row["event"] for row in asks.october("requests")["rows"]}
    first = asks.october("requests", limit=2)
    # Newer ones, older ones, and one of the very moment at which the page ended.
    many(priced, 3, start=100)
    posted(priced, {"response_id": "early"}, at=NOON - timedelta(hours=1))
    posted(priced, {"response_id": "same"}, at=NOON + timedelta(seconds=4))
    seen, body = first["rows"], first
    while body["next"]:
        body = asks.october("requests", limit=2, cursor=body["next"])
        seen += body["rows"]
    events = [row["event"] for row in seen]
    assert len(events) == len(set(events))
    assert there <= set(events)
    assert [row["occurred_at"] for row in seen] == sorted(
        (row["occurred_at"] for row in seen), reverse=True
    )
    assert UsageEvent.objects.count() == 11


def test_a_page_is_of_the_days_of_the_first_one(asks, priced, monkeypatch):
    """Midnight passes between two pages of range=7d."""
    for n in range(2):
        UsageHourFactory(organization=priced, model=f"m{n}", hour=NOON)
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON + 5 * DAY)
    body = asks("usage", group="model", range="7d", limit=1).json()
    assert (body["from"], body["to"]) == ("2026-09-30", "2026-10-07")
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOON + 9 * DAY)
    second = asks("usage", group="model", range="7d", limit=1, cursor=body["next"]).json()
    assert (second["from"], second["to"]) == ("2026-09-30", "2026-10-07")
    assert ([row["group"] for row in second["rows"]], second["next"]) == (["m1"], None)


@pytest.mark.parametrize(
    "path", ["usage?group=model", "sessions", "requests", "prices", "imports", "cache", "runs"]
)
@pytest.mark.parametrize(
    "cursor",
    ["1", "999999999", "-1", "W10", "a:b:c", "x" * 5_000, "\0", "' OR 1=1 --", "é", "None"],
)
def test_a_forged_cursor_is_refused(asks, path, cursor):
    """Hostile input 46."""
    name, _, query = path.partition("?")
    params = dict(pair.split("=") for pair in query.split("&") if pair)
    answer = asks(name, cursor=cursor, **params)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_cursor")


def test_a_cursor_signed_for_something_else_is_refused(asks):
    forged = signing.dumps([("str", "x")], salt="password-reset")
    assert asks("requests", cursor=forged).json()["code"] == "bad_cursor"


def test_a_cursor_of_another_organization_is_refused(client, asks, priced):
    other = priced_organization(time_zone="Asia/Kolkata")
    for organization in (priced, other):
        many(organization, 2)
    cursor = asks.october("requests", limit=1)["next"]
    theirs = asker(client, other)
    assert theirs("requests", limit=1, cursor=cursor, **OCTOBER).json()["code"] == "bad_cursor"


@pytest.mark.parametrize(
    "path", ["usage", "sessions", "requests", "prices", "credit-rates", "imports", "cache", "runs"]
)
@pytest.mark.parametrize("limit", ["-1", "0", "1001", "1000000000", "1e3", "٣", "0x10", " 1"])
def test_a_limit_is_1_to_1000(asks, path, limit):
    """Hostile input 46."""
    answer = asks(path, limit=limit)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_limit")


def test_there_are_no_page_numbers(asks):
    """Hostile input 46: page=10^9."""
    answer = asks("requests", page=10**9)
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_parameter")


def test_the_limit_and_the_fields_may_change_from_page_to_page(asks, priced):
    for n in range(4):
        SessionTotalFactory(organization=priced, session_id=f"s{n}", started_at=NOON)
    first = asks.october("sessions", limit=1, order="started")
    rest = asks.october(
        "sessions", limit=10, order="started", cursor=first["next"], fields="session_id"
    )
    assert rest["rows"] == [{"session_id": f"s{n}"} for n in (1, 2, 3)]
