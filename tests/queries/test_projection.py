"""Where the month will end."""

from decimal import Decimal

import pytest

from accounting.queries.projection import month_projections
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import at, wanted

pytestmark = pytest.mark.django_db


def projections(spent, now, zone="UTC"):
    organization = OrganizationFactory(time_zone=zone)
    for hour, amount, currency in spent:
        UsageHourFactory(
            organization=organization, hour=at(hour), cost=Decimal(amount), currency=currency
        )
    return month_projections(wanted(organization, now=at(now)))


def test_two_whole_days_of_ten_on_the_third_of_thirty_project_three_hundred():
    (found,) = projections(
        [
            ("2026-11-01T08:00Z", "10.00", "USD"),
            ("2026-11-02T08:00Z", "10.00", "USD"),
            ("2026-11-03T01:00Z", "7.00", "USD"),
        ],
        now="2026-11-03T09:30Z",
    )
    assert found.forecast.expected == Decimal(300)
    assert (found.forecast.low, found.forecast.high) == (None, None)
    assert (found.forecast.method, found.forecast.history_days) == ("run_rate", 2)
    assert (found.spent, found.currency) == (Decimal("27.00"), "USD")


def test_on_the_first_day_there_is_not_enough_data():
    (found,) = projections(
        [("2026-10-31T08:00Z", "99", "USD"), ("2026-11-01T00:00Z", "1", "USD")],
        now="2026-11-01T00:10Z",
    )
    assert (found.forecast.expected, found.forecast.reason) == (None, "not_enough_data")
    assert found.spent == 1


def test_without_usage_there_is_not_enough_data_in_the_organizations_currency():
    (found,) = projections([], now="2026-11-05T00:10Z")
    assert (found.currency, found.forecast.reason) == ("USD", "not_enough_data")


def test_history_that_begins_inside_the_month_is_not_thinned_by_days_before_it():
    (found,) = projections(
        [("2026-11-13T08:00Z", "10", "USD"), ("2026-11-14T08:00Z", "10", "USD")],
        now="2026-11-15T09:30Z",
    )
    assert found.forecast.expected == Decimal(180)


def test_days_without_usage_count_as_nothing_spent():
    (found,) = projections(
        [("2026-10-31T08:00Z", "10", "USD"), ("2026-11-02T08:00Z", "10", "USD")],
        now="2026-11-03T09:30Z",
    )
    assert found.forecast.expected == Decimal(150)


def test_a_projection_is_never_less_than_what_is_spent():
    (found,) = projections(
        [("2026-11-01T08:00Z", "1", "USD"), ("2026-11-02T01:00Z", "500", "USD")],
        now="2026-11-02T09:30Z",
    )
    assert found.forecast.expected == Decimal(501)


def test_each_currency_is_projected_apart():
    found = projections(
        [("2026-11-01T08:00Z", "1", "USD"), ("2026-11-02T08:00Z", "2", "CNY")],
        now="2026-11-03T09:30Z",
    )
    assert [(p.currency, p.forecast.expected) for p in found] == [
        ("CNY", Decimal(30)),
        ("USD", Decimal(15)),
    ]


def test_days_are_those_of_the_organization():
    (found,) = projections(
        [("2026-10-31T18:30Z", "10", "USD"), ("2026-11-01T18:30Z", "5", "USD")],
        now="2026-11-01T19:00Z",
        zone="Asia/Kolkata",
    )
    assert (found.forecast.history_days, found.forecast.expected) == (1, Decimal(300))


def test_two_statements_while_history_is_short(django_assert_num_queries):
    asked = wanted(OrganizationFactory())
    with django_assert_num_queries(2):
        month_projections(asked)


def test_thirteen_whole_days_are_a_run_rate_and_fourteen_are_not():
    days = [(f"2026-11-{day:02}T08:00Z", "10", "USD") for day in range(1, 15)]
    (found,) = projections(days[:13], now="2026-11-14T09:30Z")
    assert (found.forecast.method, found.forecast.low) == ("run_rate", None)
    assert found.forecast.reason == "run_rate_has_no_band"
    (found,) = projections(days, now="2026-11-15T09:30Z")
    assert (found.forecast.method, found.forecast.history_days) == ("weekday_level", 14)
    assert (found.forecast.low, found.forecast.expected, found.forecast.high) == (300, 300, 300)


def test_a_month_that_has_just_begun_goes_on_like_the_one_before():
    days = [(f"2026-10-{day:02}T08:00Z", "10", "USD") for day in range(1, 32)]
    (found,) = projections(days, now="2026-11-01T00:10Z")
    assert (found.spent, found.forecast.expected) == (0, 300)


def test_a_currency_that_came_lately_has_no_band_yet():
    days = [(f"2026-11-{day:02}T08:00Z", "10", "USD") for day in range(1, 21)]
    days += [(f"2026-11-{day:02}T08:00Z", "2", "CNY") for day in (19, 20)]
    cny, usd = projections(days, now="2026-11-21T00:00Z")
    assert (cny.forecast.method, cny.forecast.expected) == ("run_rate", 6)
    assert (usd.forecast.method, usd.forecast.expected) == ("weekday_level", 300)


def test_a_currency_of_months_ago_is_not_projected():
    days = [(f"2026-08-{day:02}T08:00Z", "2", "CNY") for day in range(1, 31)]
    days += [(f"2026-11-{day:02}T08:00Z", "10", "USD") for day in range(1, 21)]
    assert [one.currency for one in projections(days, now="2026-11-21T00:00Z")] == ["USD"]
