"""The first page's figures."""

from datetime import date
from decimal import Decimal

import pytest

from accounting.queries.comparing import comparison
from accounting.queries.overview import overview
from accounting.queries.points import usage_points
from accounting.queries.prices import loaded_rates
from accounting.queries.series import ghosts_of, usage_stack
from tests.factories import (
    ImportFactory,
    OrganizationFactory,
    ProjectFactory,
    SessionTotalFactory,
    UsageHourFactory,
)
from tests.queries.asking import at, wanted

pytestmark = pytest.mark.django_db


def spend(organization, day, model, cost, **more):
    UsageHourFactory(
        organization=organization,
        hour=at(f"2026-{day}T05:00Z"),
        model=model,
        cost=Decimal(cost),
        **more,
    )


def test_the_whole_page_in_fourteen_statements(django_assert_num_queries):
    organization = OrganizationFactory()
    project = ProjectFactory(organization=organization, name="Search")
    spend(organization, "10-01", "a", "2", project_id=project.pk)
    spend(organization, "10-02", "b", "3", project_id=project.pk)
    spend(organization, "09-02", "b", "7", project_id=project.pk)
    spend(organization, "09-04", "b", "9", project_id=project.pk)
    SessionTotalFactory(organization=organization, input_tokens=777, output_tokens=10)
    ImportFactory(organization=organization, name="last.jsonl")
    asked = wanted(organization, range="mtd")
    loaded_rates(organization.pk)
    with django_assert_num_queries(14):
        page = overview(asked, is_whole=True)
    assert page.totals.cost_in("USD") == 5
    assert page.previous.cost_in("USD") == 7
    assert float(page.sessions.ratio_median) == 77.7
    assert [row.group.label for row in page.models] == ["b", "a"]
    assert [row.group.label for row in page.projects] == ["Search"]
    assert page.stack.buckets == (date(2026, 10, 1), date(2026, 10, 2), date(2026, 10, 3))
    assert [(s.group.label, s.amounts) for s in page.stack.series] == [
        ("b", (0, 3, 0)),
        ("a", (2, 0, 0)),
    ]
    assert page.month.projections[0].spent == 5
    assert page.month.projections[0].forecast.history_days == 31
    assert page.health.last_import.name == "last.jsonl"
    assert page.health.newest_hour == at("2026-10-02T05:00Z")


def test_sessions_projects_and_the_month_are_left_for_later(django_assert_num_queries):
    organization = OrganizationFactory()
    spend(organization, "10-01", "a", "2")
    SessionTotalFactory(organization=organization)
    with django_assert_num_queries(7):
        page = overview(wanted(organization, range="mtd"))
    assert (page.sessions, page.projects, page.month) == (None, None, None)
    assert page.totals.cost_in("USD") == 2


def test_an_empty_organization_has_a_page_too():
    page = overview(wanted(OrganizationFactory(), range="all"))
    assert (page.totals.requests, page.models, page.stack.series) == (0, (), ())


def test_a_chart_shows_nine_groups_and_the_sum_of_the_others():
    organization = OrganizationFactory()
    for n in range(12):
        spend(organization, "10-01", f"m{n:02}", str(n + 1))
    stack, table = usage_stack(wanted(organization))
    assert len(stack.series) == 10
    assert stack.series[0].group.value == "m11"
    assert (stack.series[-1].group, stack.series[-1].amounts[0]) == (None, 6)
    assert sum(s.amounts[0] for s in stack.series) == table.totals.cost_in("USD") == 78


def test_currencies_have_series_of_their_own():
    organization = OrganizationFactory()
    spend(organization, "10-01", "a", "1")
    spend(organization, "10-01", "a", "4", currency="CNY")
    stack, _ = usage_stack(wanted(organization))
    assert [(s.currency, s.amounts[0]) for s in stack.series] == [("CNY", 4), ("USD", 1)]


@pytest.mark.parametrize(
    ("metric", "amounts"), [("requests", [2]), ("output_tokens", [7]), ("cache_hit_rate", [])]
)
def test_other_metrics_stack_too_where_they_add_up(metric, amounts):
    organization = OrganizationFactory()
    spend(organization, "10-01", "a", "1", requests=2, output_tokens=7)
    stack, _ = usage_stack(wanted(organization, metric=metric))
    assert [s.amounts[0] for s in stack.series] == amounts


def test_hours_of_a_short_day_and_of_a_long_one():
    organization = OrganizationFactory(time_zone="Europe/Berlin")
    UsageHourFactory(organization=organization, hour=at("2026-03-29T01:00Z"))
    days = {"from": "2026-03-29", "to": "2026-03-30"}
    stack, _ = usage_stack(wanted(organization, bucket="hour", metric="requests", **days))
    assert len(stack.buckets) == 23
    assert sum(stack.series[0].amounts) == 1


def test_the_hour_that_comes_twice_is_drawn_twice():
    organization = OrganizationFactory(time_zone="Europe/Berlin")
    for hour, requests in (("00", 3), ("01", 5)):  # both are two o'clock
        UsageHourFactory(
            organization=organization, hour=at(f"2026-10-25T{hour}:00Z"), requests=requests
        )
    days = {"from": "2026-10-25", "to": "2026-10-26"}
    stack, _ = usage_stack(wanted(organization, bucket="hour", metric="requests", **days))
    assert len(stack.buckets) == 25
    assert stack.series[0].amounts[1:5] == (0, 3, 5, 0)


def test_a_compared_range_that_is_cut_has_no_buckets_behind_its_end():
    organization = OrganizationFactory()
    spend(organization, "09-02", "a", "1", requests=4)
    asked = wanted(
        organization,
        now=at("2026-10-03T12:30Z"),
        metric="requests",
        bucket="day",
        **{"from": "2026-10-01", "to": "2026-11-01"},
    )
    compared = comparison(asked)
    (ghost,) = ghosts_of(compared, usage_points(compared))
    assert ghost.amounts == (0, 4, 0)


def test_what_has_no_price_ranks_behind_what_has_but_is_not_lost():
    organization = OrganizationFactory()
    spend(organization, "10-01", "priced", "1")
    spend(organization, "10-01", "small", "0", currency="", unpriced_tokens=5)
    spend(organization, "10-01", "large", "0", currency="", unpriced_tokens=50)
    page = overview(wanted(organization))
    assert [row.group.value for row in page.models] == ["priced", "large", "small"]


def test_without_a_rate_to_the_books_currency_the_dearest_model_and_project_come_first():
    organization = OrganizationFactory(currency="EUR")
    projects = [ProjectFactory(organization=organization, name=name) for name in ("Few", "Many")]
    for name, cost, requests, project in zip("ab", "73", (1, 50), projects, strict=True):
        more = {"cost_base": 0, "cost_base_unknown": 1, "requests": requests}
        spend(organization, "10-01", name, cost, project_id=project.pk, **more)
    page = overview(wanted(organization, range="mtd"), is_whole=True)
    assert [row.group.label for row in page.models] == ["a", "b"]
    assert [row.group.label for row in page.projects] == ["Few", "Many"]
