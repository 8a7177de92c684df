"""What is drawn of a cut: nine groups and all others as one, of one moment, read once where that is slow."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounting.queries import series
from accounting.queries.comparing import comparison
from accounting.queries.exploring import explore
from accounting.queries.measures import measured
from accounting.queries.points import usage_points
from accounting.queries.series import stack_of
from accounting.queries.spend import usage_table
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db
METRICS = (
    "cost",
    "credits",
    "requests",
    "output_tokens",
    "uncached_input_tokens",
    "cache_hit_rate",
)
GROUPS = 15


@pytest.fixture
def organization():
    """Fifteen users of two teams, three of them without a price, on two days."""
    organization = priced_organization()
    for day in range(2):
        posted(
            organization,
            *(
                {
                    "response_model": ("opal", "jade", "opal", "jade", "unknown")[n % 5],
                    "input_tokens": 100 + 10 * n,
                    "cache_read_input_tokens": n,
                    "output_tokens": 10 * n,
                    "place": {"user_id": f"user-{n:02}", "team": ("red", "blue")[n % 2]},
                }
                for n in range(GROUPS)
            ),
            at=NOON + timedelta(day),
        )
    return organization


def statements(question, *arguments):
    with CaptureQueriesContext(connection) as captured:
        found = question(*arguments)
    return found, [each["sql"] for each in captured.captured_queries]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("sub", ["", "model"])
@pytest.mark.parametrize("bucket", ["day", "hour"])
def test_what_is_drawn_is_what_all_groups_would_draw(organization, metric, sub, bucket):
    asked = wanted(
        organization, group="user", bucket=bucket, metric=metric, **({"sub": sub} if sub else {})
    )
    found = explore(asked)
    every = usage_points(asked)
    assert found.stack == stack_of(asked, every)
    assert len({point.key for point in found.points}) == series.SHOWN_GROUPS + 1
    if metric == "cache_hit_rate":
        drawn = [row.key for row in found.rows[: series.SHOWN_GROUPS]]
        assert [p for p in found.points if p.key in drawn] == [p for p in every if p.key in drawn]
        assert found.whole == usage_points(replace(asked, group="", sub=""))


def test_others_are_summed_by_the_server(organization):
    found, asked = statements(explore, wanted(organization, group="user", metric="requests"))
    assert len(asked) == 4
    others = [point for point in found.points if point.key == (None,)]
    assert [point.amounts for point in others] == [(("", 6),), (("", 6),)]
    assert [one.group for one in found.stack.series][-1] is None


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    "params", [{"group": "team", "sub": "user"}, {"group": "user", "team": "red"}]
)
def test_a_slow_cut_reads_each_range_once_and_says_the_same(organization, metric, params):
    days = {"from": "2026-10-02", "to": "2026-10-03"}
    every = {"session!": "no such one"}
    asked = wanted(organization, metric=metric, bucket="day", **every, **params, **days)
    found, sql = statements(explore, asked)
    assert found.is_slow
    assert sum("accounting_usageevent" in each for each in sql) == 2
    table = usage_table(replace(asked, bucket=""))
    assert (found.table.rows, found.table.totals) == (table.rows, table.totals)
    assert found.stack == stack_of(asked, usage_points(asked))
    yesterday = replace(asked, start=NOON.date(), end=asked.start, compare="none",
                        starts_at=asked.starts_at - timedelta(1), ends_at=asked.starts_at)  # fmt: skip
    before = usage_table(replace(yesterday, bucket=""))
    assert found.before.groups == {row.key: measured(row.totals, asked) for row in before.rows}
    assert found.before.whole == measured(before.totals, asked)
    if metric != "cache_hit_rate":
        ghosts = series.ghosts_of(yesterday, usage_points(replace(yesterday, group="", sub="")))
        assert found.before.ghosts == ghosts


@pytest.mark.parametrize(
    "params", [{"group": "tag:n", "sub": "user"}, {"group": "user", "sub": "tag:n"}]
)
def test_pairs_with_a_tag_are_drawn_as_the_table_ranks_them(params):
    organization = priced_organization()
    posted(
        organization,
        *(
            {
                "input_tokens": 10 * n,
                "place": {"user_id": f"user-{n % 4}", "tags": (("n", str(n)),)},
            }
            for n in range(1, GROUPS)
        ),
    )
    days = {"from": "2026-10-01", "to": "2026-10-02"}
    found = explore(wanted(organization, metric="input_tokens", bucket="day", **params, **days))
    drawn = {point.key: point.amounts for point in found.points}
    first = found.rows[:9]
    assert {row.key: (("", row.totals.input_tokens),) for row in first} | {
        (None, None): (("", 10 * (1 + 2 + 3 + 4 + 5)),)
    } == drawn


def test_what_used_nothing_before_had_nothing(organization):
    first = {"from": "2026-10-01", "to": "2026-10-02"}
    found = explore(wanted(organization, group="user", **first))
    assert found.before.whole == found.before.of(("user-01",)) == Decimal(0)
    found = explore(wanted(organization, group="user", metric="cache_hit_rate", **first))
    assert found.before.of(("user-01",)) is None
    found = explore(wanted(organization, group="user", metric="cache_hit_rate", bucket="day",
                           **{"from": "2026-10-02", "to": "2026-10-03"}))  # fmt: skip
    assert found.before.of(("user-01",)) == Fraction(1, 110)


def test_a_part_of_a_day_of_an_attribute_is_compared_as_its_table_says(organization):
    """What days keep is read from requests where the compared day is cut, and is not slow for that."""
    now = NOON + timedelta(1, hours=3)
    asked = wanted(organization, now, range="today", group="user", team="red", metric="requests")
    found, sql = statements(explore, asked)
    assert not found.is_slow
    assert sum("accounting_usageevent" in each for each in sql) == 1
    compared = comparison(replace(asked, bucket="day"))
    before = usage_table(replace(compared, bucket=""))
    assert found.before.groups == {row.key: measured(row.totals, asked) for row in before.rows}
    assert sum(found.before.groups.values()) == 8


def test_without_a_rate_to_the_books_currency_the_dearest_group_still_comes_first():
    organization = priced_organization(currency="EUR")
    jade = {"response_model": "jade", "output_tokens": 1000}
    posted(organization, {"response_model": "opal"}, {"response_model": "opal"}, jade)
    found = explore(wanted(organization, group="model"))
    assert [row.group.value for row in found.rows] == ["jade", "opal"]
    assert found.totals.cost_base is None
