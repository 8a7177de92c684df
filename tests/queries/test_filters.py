"""The address's grammar as one value."""

from datetime import date

import pytest
from django.db import connection

from accounting.queries.comparing import address, comparison
from accounting.queries.filters import Choice, FilterError, usage_filter
from accounting.queries.zones import zone_names
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


def test_all_ends_with_the_last_usage_even_if_that_lies_ahead(django_assert_num_queries):
    organization = OrganizationFactory(time_zone="Asia/Kolkata")
    UsageHourFactory(organization=organization, hour=at("2026-08-31T18:30Z"))
    UsageHourFactory(organization=organization, hour=at("2027-02-28T18:30Z"))
    with django_assert_num_queries(1):
        found = wanted(organization, range="all")
    assert (found.start, found.end) == (date(2026, 9, 1), date(2027, 3, 2))
    assert wanted(organization, range="30d").end == date(2026, 10, 4)


def test_all_ends_with_today_where_usage_does_not_reach_it():
    organization = OrganizationFactory(time_zone="Asia/Kolkata")
    UsageHourFactory(organization=organization, hour=at("2026-08-31T18:30Z"))
    assert wanted(organization, range="all").end == date(2026, 10, 4)


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
        ({"tag:env": "a\0b"}, "bad_value"),
        ({"tag:": "a"}, "unknown_parameter"),
        ({"tag:a\0b": "a"}, "unknown_parameter"),
        ({"tag:" + "k" * 201: "a"}, "unknown_parameter"),
        ({"group": "tag:"}, "unknown_group"),
        ({"group": "session"}, "unknown_group"),
        ({"group": "tag:env", "sub": "tag:env"}, "sub_is_group"),
        ({"weekday": "monday"}, "unknown_weekday"),
        ({"tz": "Mars/Olympus"}, "unknown_zone"),
        ({"tz": "../etc/passwd"}, "unknown_zone"),
        ({"tz": "localtime"}, "unknown_zone"),
        ({"tz": ["UTC", "UTC"]}, "repeated_parameter"),
        ({"tz": "Asia/Kolkata"}, "zone_not_hour_aligned"),
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


def test_attributes_tags_and_fields_are_conditions_too():
    params = {"tag:env!": ["prod", ""], "team": "", "session": "s1", "model": "a", "tag:a~": "x"}
    found = wanted(OrganizationFactory(), group="tag:env", sub="team", **params)
    assert (found.group, found.sub) == ("tag:env", "team")
    assert found.choices == (
        Choice(name="model", relation="is", values=("a",)),
        Choice(name="team", relation="is", values=("none",)),
        Choice(name="session", relation="is", values=("s1",)),
        Choice(name="tag:a", relation="contains", values=("x",)),
        Choice(name="tag:env", relation="is_not", values=("prod", "none")),
    )
    assert ("tag:env!", "none") in address(found)


@pytest.mark.parametrize(
    ("params", "start", "end"),
    [
        # The 3rd of October is a Saturday, and so is the 5th of September.
        ({"from": "2026-10-03", "to": "2026-10-04", "compare": "prev"}, "2026-09-26", "2026-09-27"),
        ({"range": "mtd"}, "2026-09-03", "2026-09-06"),
        ({"range": "last_month"}, "2026-07-28", "2026-08-28"),
        ({"range": "7d"}, "2026-09-20", "2026-09-27"),
        ({"range": "mtd", "compare": "yoy"}, "2025-10-02", "2025-10-05"),
    ],
)
def test_weekdays_are_compared_with_the_same_weekdays(params, start, end):
    asked = wanted(OrganizationFactory(), weekday="1", **params)
    before = comparison(asked)
    assert (before.start.isoformat(), before.end.isoformat()) == (start, end)
    assert before.start.weekday() == asked.start.weekday()
    assert before.end <= asked.start
    assert ("weekday", "1") in address(asked)


def test_the_nearest_same_weekday_may_be_an_earlier_one():
    asked = wanted(OrganizationFactory(), now=at("2026-04-03T09:30Z"), range="qtd", weekday="1")
    # The 1st of April is a Wednesday, the 1st of January a Thursday.
    before = comparison(asked)
    assert (before.start, before.end) == (date(2025, 12, 31), date(2026, 1, 3))


def test_another_zone_has_days_of_its_own():
    found = wanted(OrganizationFactory(time_zone="Asia/Kolkata"), range="today", tz="Asia/Colombo")
    assert (found.zone.key, found.tz) == ("Asia/Colombo", "Asia/Colombo")
    assert ("tz", "Asia/Colombo") in address(found)
    own = wanted(OrganizationFactory(), now=at("2026-10-03T22:30Z"), range="today", tz="UTC")
    assert own.tz == ""
    berlin = wanted(
        OrganizationFactory(), now=at("2026-10-03T22:30Z"), range="today", tz="Europe/Berlin"
    )
    assert (berlin.start, berlin.starts_at) == (date(2026, 10, 4), at("2026-10-03T22:00Z"))


def test_a_zone_whose_clocks_move_by_half_an_hour_is_refused_only_where_they_do():
    winter = {"from": "2026-05-01", "to": "2026-06-01", "tz": "Australia/Lord_Howe"}
    summer = winter | {"from": "2026-12-01", "to": "2026-12-02"}
    assert wanted(OrganizationFactory(), **summer).tz == "Australia/Lord_Howe"
    with pytest.raises(FilterError) as error:
        wanted(OrganizationFactory(), **winter)
    assert error.value.code == "zone_not_hour_aligned"


def test_every_zone_that_is_taken_is_known_to_the_database():
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_timezone_names")
        known = {name for (name,) in cursor.fetchall()}
    assert zone_names() <= known


def test_all_begins_with_the_day_of_the_zone_that_was_asked_for():
    organization = OrganizationFactory()
    UsageHourFactory(organization=organization, hour=at("2026-08-31T23:00Z"))
    assert wanted(organization, range="all").start == date(2026, 8, 31)
    assert wanted(organization, range="all", tz="Europe/Berlin").start == date(2026, 9, 1)
