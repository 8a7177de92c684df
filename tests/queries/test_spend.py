"""Spend by time and dimension."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.queries.spend import usage_table, usage_totals
from tests.factories import OrganizationFactory, ProjectFactory, UsageHourFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import posted, priced_organization

pytestmark = pytest.mark.django_db


def table(organization, **params):
    return usage_table(wanted(organization, **params))


def test_rows_add_up_to_the_totals(django_assert_num_queries):
    organization = OrganizationFactory()
    for day, model, cost in [("01", "a", "1.5"), ("01", "b", "0.000000525"), ("02", "a", "2")]:
        UsageHourFactory(
            organization=organization,
            hour=at(f"2026-10-{day}T05:00Z"),
            model=model,
            cost=Decimal(cost),
            input_tokens=100,
            output_tokens=7,
        )
    with django_assert_num_queries(1):
        found = table(organization, group="model", bucket="day")
    assert [(r.bucket, r.group.value, r.totals.cost_in("USD")) for r in found.rows] == [
        (date(2026, 10, 1), "a", Decimal("1.5")),
        (date(2026, 10, 1), "b", Decimal("0.000000525")),
        (date(2026, 10, 2), "a", Decimal(2)),
    ]
    assert found.totals.cost_in("USD") == Decimal("3.500000525")
    assert sum(r.totals.input_tokens for r in found.rows) == found.totals.input_tokens == 300
    assert found.totals.input_output_ratio == Fraction(300, 21)


def test_a_kind_nobody_reports_is_unknown_and_a_reported_zero_is_zero():
    organization = OrganizationFactory()
    UsageHourFactory(organization=organization, input_tokens=5, known_cache_write_input_tokens=1)
    totals = usage_totals(wanted(organization))
    assert totals.input_tokens == 5
    assert totals.cache_write_input_tokens == 0
    assert totals.output_tokens is None
    assert totals.cache_hit_rate is None
    assert totals.input_output_ratio is None


def test_without_usage_everything_is_zero_or_unknown():
    totals = usage_totals(wanted(OrganizationFactory()))
    assert (totals.requests, totals.input_tokens, totals.costs) == (0, None, ())
    assert (totals.cost_base, totals.credits) == (None, None)


def test_a_hit_rate_counts_only_requests_that_report_cache():
    organization = OrganizationFactory()
    UsageHourFactory(organization=organization, input_tokens=100, cache_read_input_tokens=50)
    UsageHourFactory(organization=organization, input_tokens=900, source="other")
    assert usage_totals(wanted(organization)).cache_hit_rate == Fraction(1, 2)


def test_currencies_stand_side_by_side():
    organization = OrganizationFactory()
    UsageHourFactory(organization=organization, cost=Decimal("1.25"), cost_base=Decimal("1.25"))
    UsageHourFactory(
        organization=organization,
        currency="CNY",
        cost=Decimal("0.48"),
        cost_base=0,
        cost_base_unknown=1,
        credits=480,
    )
    UsageHourFactory(
        organization=organization, currency="", unpriced_requests=2, unpriced_tokens=70
    )
    found = table(organization, group="model")
    (row,) = found.rows
    assert row.totals == found.totals
    assert [(cost.currency, cost.amount) for cost in found.totals.costs] == [
        ("CNY", Decimal("0.48")),
        ("USD", Decimal("1.25")),
    ]
    assert (found.totals.cost_base, found.totals.cost_base_unknown) == (Decimal("1.25"), 1)
    assert (found.totals.unpriced_requests, found.totals.unpriced_tokens) == (2, 70)
    assert found.totals.credits == 480


@pytest.mark.parametrize(
    ("zone", "hour", "day"),
    [
        ("Asia/Kolkata", "2031-03-01T18:30Z", date(2031, 3, 2)),
        ("Asia/Kolkata", "2031-03-01T17:30Z", date(2031, 3, 1)),
        ("America/Los_Angeles", "2031-01-25T04:00Z", date(2031, 1, 24)),
        ("America/New_York", "2031-02-01T01:00Z", date(2031, 1, 31)),
        ("America/Chicago", "2031-09-08T02:00Z", date(2031, 9, 7)),
        ("Europe/Berlin", "2026-10-25T22:00Z", date(2026, 10, 25)),
        ("Europe/Berlin", "2026-10-25T23:00Z", date(2026, 10, 26)),
        ("Europe/Berlin", "2026-03-29T21:00Z", date(2026, 3, 29)),
        ("Europe/Berlin", "2026-03-29T22:00Z", date(2026, 3, 30)),
    ],
)
def test_days_and_months_are_those_of_the_organization(zone, hour, day):
    organization = OrganizationFactory(time_zone=zone)
    UsageHourFactory(organization=organization, hour=at(hour))
    span = {"from": "2026-01-01", "to": "2032-01-01"}
    (row,) = table(organization, bucket="day", **span).rows
    assert row.bucket == day
    (row,) = table(organization, bucket="month", **span).rows
    assert row.bucket == day.replace(day=1)
    next_day = date.fromordinal(day.toordinal() + 1)
    one_day = {"from": day.isoformat(), "to": next_day.isoformat()}
    assert usage_totals(wanted(organization, **one_day)).requests == 1


def test_the_hour_that_comes_twice_is_two_hours():
    organization = OrganizationFactory(time_zone="Europe/Berlin")
    for hour in ("2026-10-25T00:00Z", "2026-10-25T01:00Z"):
        UsageHourFactory(organization=organization, hour=at(hour))
    found = table(organization, bucket="hour", **{"from": "2026-10-25", "to": "2026-10-26"})
    assert [row.bucket.isoformat() for row in found.rows] == [
        "2026-10-25T02:00:00+02:00",
        "2026-10-25T02:00:00+01:00",
    ]
    assert len(found.wanted.buckets) == 25


def test_weeks_begin_on_monday():
    organization = OrganizationFactory()
    UsageHourFactory(organization=organization, hour=at("2026-10-11T23:00Z"))
    (row,) = table(organization, bucket="week").rows
    assert row.bucket == date(2026, 10, 5)


@pytest.mark.parametrize(("week_start", "first"), [(0, 5), (5, 10), (6, 11)])
@pytest.mark.parametrize(
    "params",
    [{}, {"tz": "Europe/London"}, {"session!": "x"}, {"group": "team"}],
    ids=["days", "hours", "requests", "attributes"],
)
def test_weeks_begin_on_the_organizations_day_in_whatever_table(week_start, first, params):
    organization = priced_organization(week_start=week_start)
    # Sunday, an hour before midnight in UTC and at midnight in London.
    posted(organization, {"input_tokens": 3}, at=at("2026-10-11T22:59Z"))
    asked = {"from": "2026-10-01", "to": "2026-11-01"}
    found = table(organization, bucket="week", **params, **asked)
    assert [(row.bucket, row.totals.input_tokens) for row in found.rows] == [
        (date(2026, 10, first), 3)
    ]
    assert date(2026, 10, first) in found.wanted.buckets


def test_projects_and_keys_carry_their_names(django_assert_num_queries):
    organization = OrganizationFactory()
    project = ProjectFactory(organization=organization, slug="search", name="Search team")
    UsageHourFactory(organization=organization, project_id=project.pk)
    with django_assert_num_queries(3):
        (row,) = table(organization, group="project", sub="key").rows
    assert (row.group.value, row.group.label) == ("search", "Search team")
    assert (row.sub.value, row.sub.label) == ("", "")


@pytest.mark.parametrize(
    ("params", "models"),
    [
        ({"model": ["gpt-5", "claude"]}, ["claude", "gpt-5"]),
        ({"model!": "claude"}, ["gpt-5", "o3"]),
        ({"model~": "GPT"}, ["gpt-5"]),
        ({"model~": "%"}, []),
        ({"project": "search"}, ["gpt-5"]),
        ({"project!": "search"}, ["claude", "o3"]),
        ({"project~": "ear"}, ["gpt-5"]),
        ({"project": "nowhere"}, []),
        ({"key": ""}, ["claude", "gpt-5", "o3"]),
        ({"key!": ""}, []),
        ({"key~": "x"}, []),
        ({"user": "ann", "model!": "o3"}, ["gpt-5"]),
    ],
)
def test_filters_choose_rows(params, models):
    organization = OrganizationFactory()
    project = ProjectFactory(organization=organization, slug="search")
    UsageHourFactory(organization=organization, model="claude")
    UsageHourFactory(organization=organization, model="gpt-5", project_id=project.pk, user_id="ann")
    UsageHourFactory(organization=organization, model="o3", user_id="ann")
    found = table(organization, group="model", **params)
    assert [row.group.value for row in found.rows] == models
    assert found.totals.requests == len(models)


def test_other_organizations_and_benchmarks_are_not_in_it():
    organization = OrganizationFactory()
    UsageHourFactory()
    UsageHourFactory(organization=organization, purpose="benchmark", requests=3)
    assert usage_totals(wanted(organization)).requests == 0
    assert usage_totals(wanted(organization, purpose="benchmark")).requests == 3


def test_pages_hold_every_row_once_and_the_totals_of_all():
    organization = OrganizationFactory()
    for n in range(5):
        for currency in ("CNY", "USD"):
            UsageHourFactory(organization=organization, model=f"m{n}", currency=currency)
    asked = wanted(organization, group="model", bucket="day")
    seen, after = [], None
    for _ in range(3):
        page = usage_table(asked, limit=2, after=after)
        assert page.totals.requests == 10
        seen += [row.group.value for row in page.rows]
        after = page.rows[-1].key
    assert seen == ["m0", "m1", "m2", "m3", "m4"]
    assert not page.has_more
