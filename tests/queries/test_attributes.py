"""Usage by team, agent, tier, environment, cost centre and tag: days where a rollup has it, else events."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from accounting.queries.comparing import comparison
from accounting.queries.spend import usage_table, usage_totals
from tests.factories import OrganizationFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db
ROWS = (
    {"input_tokens": 1_000, "place": {"team": "red", "tags": (("env", "prod"), ("app", "x"))}},
    {"input_tokens": 200, "place": {"team": "red", "tags": (("env", "test"),)}},
    {"input_tokens": 30, "response_model": "jade", "place": {"tags": (("app", "x"),)}},
    {"input_tokens": 4, "status": "error", "place": {"cost_center": "R&D"}},
)


@pytest.fixture
def organization():
    organization = priced_organization()
    posted(organization, *ROWS)
    posted(
        organization, {"input_tokens": 50_000, "place": {"team": "blue"}}, at=NOON + timedelta(1)
    )
    return organization


def tokens(table):
    return {row.group.value: row.totals.input_tokens for row in table.rows}


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ("team", {"red": 1_200, "none": 34, "blue": 50_000}),
        ("cost_center", {"R&D": 4, "none": 51_230}),
        ("agent", {"none": 51_234}),
        ("tag:env", {"prod": 1_000, "test": 200, "none": 50_034}),
        ("tag:app", {"x": 1_030, "none": 50_204}),
        ("tag:nobody", {"none": 51_234}),
    ],
)
def test_values_and_none_add_up_to_the_total(
    organization, group, expected, django_assert_num_queries
):
    with django_assert_num_queries(1):
        table = usage_table(wanted(organization, group=group))
    assert tokens(table) == expected
    assert sum(expected.values()) == table.totals.input_tokens == 51_234
    assert not table.is_slow


@pytest.mark.parametrize("group", ["team", "tag:env", "service_tier"])
@pytest.mark.parametrize("bucket", ["hour", "day", "week", "month"])
def test_by_time_they_are_what_the_events_say(organization, group, bucket):
    table = usage_table(wanted(organization, group=group, bucket=bucket))
    ledger = usage_table(wanted(organization, group=group, bucket=bucket, **{"session!": "x"}))
    assert [(row.key, row.totals) for row in table.rows] == [
        (row.key, row.totals) for row in ledger.rows
    ]
    assert (table.is_slow, ledger.is_slow) == (bucket == "hour", True)


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"team": "red"}, 1_200),
        ({"team": "none"}, 34),
        ({"team": ""}, 34),
        ({"team": ["", "blue"]}, 50_034),
        ({"team!": "red"}, 50_034),
        ({"team!": "none"}, 51_200),
        ({"team~": "RE"}, 1_200),
        ({"tag:env": "prod"}, 1_000),
        ({"tag:env!": "prod"}, 50_234),
        ({"tag:env": ["none", "test"]}, 50_234),
        ({"tag:env!": "none"}, 1_200),
        ({"tag:env~": "o"}, 51_034),
        ({"tag:env~": "pr"}, 1_000),
        ({"tag:env": "none", "model": "jade"}, 30),
        ({"tag:env": "none", "status": "error"}, 4),
        ({"tag:env": "prod", "tag:app": "x"}, 1_000),
        ({"tag:env": "none", "tag:app!": "x"}, 50_004),
        ({"team": "red", "user": ""}, 1_200),
        ({"finish_reason": "", "error_origin": ""}, 51_234),
        ({"finish_reason!": ""}, 0),
    ],
)
def test_conditions(organization, params, expected):
    assert (usage_totals(wanted(organization, **params)).input_tokens or 0) == expected


def test_any_pair_is_summed_from_the_days_of_everything(organization, django_assert_num_queries):
    with django_assert_num_queries(2):
        table = usage_table(wanted(organization, group="team", sub="project"))
    assert not table.is_slow
    assert [(r.group.value, r.sub.label, r.totals.input_tokens) for r in table.rows] == [
        ("blue", "Default", 50_000),
        ("none", "Default", 34),
        ("red", "Default", 1_200),
    ]
    pairs = usage_table(wanted(organization, group="tag:app", sub="tag:env"))
    assert [(r.group.value, r.sub.value, r.totals.input_tokens) for r in pairs.rows] == [
        ("none", "none", 50_004),
        ("none", "test", 200),
        ("x", "none", 30),
        ("x", "prod", 1_000),
    ]
    assert pairs.is_slow  # each row's tags are looked into
    assert pairs.totals == table.totals


#: What the days of one tag have too.
BESIDE = {"model", "status"}


@pytest.mark.parametrize("sub", ["model", "status", "project", "user", "cost_center", "tag:app"])
@pytest.mark.parametrize("params", [{"group": "tag:env"}, {"group": "team", "bucket": "day"}])
def test_a_pair_says_what_the_events_say(organization, params, sub):
    table = usage_table(wanted(organization, sub=sub, **params))
    ledger = usage_table(wanted(organization, sub=sub, **params, **{"session!": "x"}))
    looks_into_tags = sub == "tag:app" or (params["group"] == "tag:env" and sub not in BESIDE)
    assert (table.is_slow, ledger.is_slow) == (looks_into_tags, True)
    assert [(row.key, row.totals) for row in table.rows] == [
        (row.key, row.totals) for row in ledger.rows
    ]


def test_pages_of_a_tag_hold_every_row_once_and_the_totals_of_all(organization):
    asked = wanted(organization, group="tag:env", bucket="day")
    seen, after = [], None
    for _ in range(4):
        page = usage_table(asked, limit=1, after=after)
        assert page.totals.input_tokens == 51_234
        seen += [(row.bucket, row.group.value) for row in page.rows]
        after = page.rows[-1].key
    first, second = date(2026, 10, 1), date(2026, 10, 2)
    assert seen == [(first, "none"), (first, "prod"), (first, "test"), (second, "none")]
    assert not page.has_more


def test_one_request_with_three_tags_is_one_request_in_each_and_in_the_total():
    organization = priced_organization()
    tags = (("a", "1"), ("b", "1"), ("c", "1"))
    posted(organization, {"place": {"tags": tags}})
    for name in "abc":
        table = usage_table(wanted(organization, group=f"tag:{name}"))
        assert [(row.group.value, row.totals.requests) for row in table.rows] == [("1", 1)]
        assert table.totals.cost_in("USD") == Decimal("0.00005075")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/Los_Angeles"])
def test_days_of_an_attribute_are_the_organizations(zone):
    organization = priced_organization(time_zone=zone)
    posted(organization, {"place": {"team": "red"}}, at=at("2026-10-05T01:30Z"))
    (row,) = usage_table(wanted(organization, group="team", bucket="day")).rows
    assert row.bucket == date(2026, 10, 4 if zone == "America/Los_Angeles" else 5)


def test_a_range_that_is_cut_inside_a_day_takes_the_rest_of_it_from_events(organization):
    cut = comparison(wanted(organization, now=at("2026-11-02T12:30Z"), range="mtd", group="team"))
    assert cut.ends_at == at("2026-10-02T12:00Z")
    assert tokens(usage_table(cut)) == {"red": 1_200, "none": 34}
    until = replace(cut, ends_at=at("2026-10-02T12:01Z"))
    assert tokens(usage_table(until)) == {"red": 1_200, "none": 34, "blue": 50_000}
    since = replace(cut, starts_at=at("2026-10-01T11:00Z"), ends_at=at("2026-10-03T00:00Z"))
    assert tokens(usage_table(since)) == {"red": 1_200, "none": 34, "blue": 50_000}
    later = replace(cut, starts_at=at("2026-10-01T13:00Z"), ends_at=at("2026-10-02T12:01Z"))
    assert tokens(usage_table(later)) == {"blue": 50_000}
    inside = replace(cut, starts_at=at("2026-10-01T11:00Z"), ends_at=at("2026-10-01T12:01Z"))
    assert tokens(usage_table(inside)) == {"red": 1_200, "none": 34}


def test_in_another_zone_days_are_summed_from_events():
    organization = priced_organization()
    posted(organization, {"place": {"team": "red"}}, at=at("2026-10-05T23:30Z"))
    table = usage_table(wanted(organization, group="team", bucket="day", tz="Europe/Berlin"))
    assert [(row.bucket, row.group.value) for row in table.rows] == [(date(2026, 10, 6), "red")]
    assert table.is_slow
    (row,) = usage_table(wanted(organization, bucket="day", tz="Europe/Berlin")).rows
    assert row.bucket == date(2026, 10, 6)


def test_other_organizations_and_benchmarks_are_left_out(organization):
    posted(organization, {"purpose": "benchmark", "place": {"team": "red"}}, at=NOON - timedelta(1))
    assert usage_totals(wanted(OrganizationFactory(), team="red")).requests == 0
    asked = {"team": "red", "tag:env": "none"}
    assert usage_totals(wanted(organization, **asked)).input_tokens is None
    assert (
        usage_totals(
            wanted(organization, purpose="benchmark", **asked, **{"from": "2026-09-01"})
        ).requests
        == 1
    )
