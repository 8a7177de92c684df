"""The address's grammar as one value."""

from datetime import date

import pytest

from accounting.queries.comparing import address, comparison
from accounting.queries.filters import Choice, FilterError, usage_filter
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import NOW, at, wanted

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("today", "2026-10-03", "2026-10-04"),
        ("yesterday", "2026-10-02", "2026-10-03"),
        ("7d", "2026-09-27", "2026-10-04"),
        ("30d", "2026-09-04", "2026-10-04"),
        ("90d", "2026-07-06", "2026-10-04"),
        ("mtd", "2026-10-01", "2026-10-04"),
        ("last_month", "2026-09-01", "2026-10-01"),
        ("qtd", "2026-10-01", "2026-10-04"),
        ("ytd", "2026-01-01", "2026-10-04"),
        ("12m", "2025-11-01", "2026-10-04"),
        ("all", "2026-10-03", "2026-10-04"),
    ],
)
def test_named_ranges_are_half_open_local_days(name, start, end):
    found = wanted(OrganizationFactory(), range=name)
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)


def test_all_begins_with_the_first_usage(django_assert_num_queries):
    organization = OrganizationFactory(time_zone="Asia/Kolkata")
    UsageHourFactory(organization=organization, hour=at("2026-08-31T18:30Z"))
    with django_assert_num_queries(1):
        assert wanted(organization, range="all").start == date(2026, 9, 1)


@pytest.mark.parametrize(
    ("zone", "now", "today"),
    [
        ("America/Los_Angeles", "2031-08-26T05:19Z", date(2031, 8, 25)),
        ("Asia/Tokyo", "2031-08-25T23:00Z", date(2031, 8, 26)),
        ("Europe/Berlin", "2026-04-01T22:30Z", date(2026, 4, 2)),
    ],
)
def test_today_is_the_organizations(zone, now, today):
    organization = OrganizationFactory(time_zone=zone)
    assert wanted(organization, now=at(now), range="today").start == today


def test_month_to_date_is_the_default_and_leaves_the_month_before_out():
    found = usage_filter(
        {}, OrganizationFactory(time_zone="Europe/Berlin"), at("2026-04-02T10:00Z")
    )
    assert (found.start, found.end) == (date(2026, 4, 1), date(2026, 4, 3))
    assert found.starts_at == at("2026-03-31T22:00Z")


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"group": "colour"}, "unknown_group"),
        ({"sub": "colour"}, "unknown_sub"),
        ({"sub": "model"}, "sub_without_group"),
        ({"group": "model", "sub": "model"}, "sub_is_group"),
        ({"bucket": "year"}, "unknown_bucket"),
        ({"metric": "profit"}, "unknown_metric"),
        ({"range": "1d"}, "unknown_range"),
        ({"purpose": "fun"}, "unknown_purpose"),
        ({"compare": "me"}, "unknown_compare"),
        ({"colour": "red"}, "unknown_parameter"),
        ({"model<": "a"}, "unknown_parameter"),
        ({"bucket": ["day", "week"]}, "repeated_parameter"),
        ({"from": "2026-02-30"}, "bad_date"),
        ({"from": "1999-01-01"}, "bad_date"),
        ({"from": "20261001"}, "bad_date"),
        ({"from": "２０２６-10-01"}, "bad_date"),
        ({"from": "2026-10-01\n"}, "bad_date"),
        ({"from": "2026-W40-1"}, "bad_date"),
        ({"from": "2026-10-02", "to": "2026-10-01"}, "range_reversed"),
        ({"from": "2026-10-01", "to": "2026-10-01"}, "range_reversed"),
        ({"to": "2026-10-01"}, "missing_from"),
        ({"range": "7d", "from": "2026-10-01"}, "range_and_days"),
        ({"from": "2020-01-01", "to": "2026-01-01", "bucket": "hour"}, "too_many_points"),
        ({"model": "a\0b"}, "bad_value"),
        ({"model": "a" * 201}, "bad_value"),
        ({"model": [str(n) for n in range(101)]}, "bad_value"),
    ],
)
def test_what_cannot_be_read_is_named(params, code):
    lists = {n: v if isinstance(v, list) else [v] for n, v in params.items()}
    with pytest.raises(FilterError) as error:
        usage_filter(lists, OrganizationFactory(), NOW)
    assert error.value.code == code


def test_conditions_are_kept_in_order_and_written_back():
    params = {
        "range": "7d",
        "group": "model",
        "model": ["b", "a", "b"],
        "user!": "ann",
        "key~": "x",
    }
    found = wanted(OrganizationFactory(), **params)
    assert found.choices == (
        Choice(name="model", relation="is", values=("b", "a")),
        Choice(name="key", relation="contains", values=("x",)),
        Choice(name="user", relation="is_not", values=("ann",)),
    )
    assert address(found) == [
        ("range", "7d"),
        ("group", "model"),
        ("model", "b"),
        ("model", "a"),
        ("key~", "x"),
        ("user!", "ann"),
    ]


def test_days_are_stepped_as_days_over_both_changes_of_clocks():
    organization = OrganizationFactory(time_zone="Europe/London")
    for start, end in [("2026-03-22", "2026-04-05"), ("2026-10-18", "2026-11-01")]:
        found = wanted(organization, bucket="day", **{"from": start, "to": end})
        assert len(found.buckets) == len(set(found.buckets)) == 14


@pytest.mark.parametrize(
    ("params", "now", "start", "ends_at"),
    [
        ({"range": "mtd"}, "2026-10-03T09:30Z", "2026-09-01", "2026-09-03T09:00Z"),
        ({"range": "mtd"}, "2026-03-31T09:30Z", "2026-02-01", "2026-03-01T00:00Z"),
        ({"range": "last_month"}, "2026-10-03T09:30Z", "2026-08-01", "2026-09-01T00:00Z"),
        ({"range": "7d"}, "2026-10-03T09:30Z", "2026-09-20", "2026-09-26T09:00Z"),
        ({"range": "qtd"}, "2026-11-15T09:30Z", "2026-07-01", "2026-08-15T09:00Z"),
        ({"range": "mtd", "compare": "yoy"}, "2026-10-03T09:30Z", "2025-10-01", "2025-10-03T09:00Z"),
        ({"from": "2026-02-01", "to": "2026-03-01"}, "2026-10-03T09:30Z", "2026-01-01",
         "2026-02-01T00:00Z"),
        ({"from": "2026-09-05", "to": "2026-09-10"}, "2026-10-03T09:30Z", "2026-08-31",
         "2026-09-05T00:00Z"),
    ],
)  # fmt: skip
def test_the_range_before_is_cut_at_the_same_hour(params, now, start, ends_at):
    before = comparison(wanted(OrganizationFactory(), now=at(now), **params))
    assert (before.start.isoformat(), before.ends_at) == (start, at(ends_at))


def test_nothing_is_compared_when_not_asked():
    assert comparison(wanted(OrganizationFactory(), compare="none")) is None
