"""Ranges by name, what they are compared with, and the buckets they fall into."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounting.domain.periods import day_start, hour_of
from accounting.domain.ranges import (
    RANGES,
    bucket_of,
    bucket_starts,
    hour_starts,
    months_later,
    named_range,
    on_same_weekday,
    range_a_year_before,
    range_before,
    same_hour,
)

BERLIN = ZoneInfo("Europe/Berlin")
THURSDAY = date(2026, 5, 14)


def days(*written):
    return tuple(date.fromisoformat(day) for day in written)


NAMED = {
    "today": ("2026-05-14", "2026-05-15"),
    "yesterday": ("2026-05-13", "2026-05-14"),
    "7d": ("2026-05-08", "2026-05-15"),
    "30d": ("2026-04-15", "2026-05-15"),
    "90d": ("2026-02-14", "2026-05-15"),
    "mtd": ("2026-05-01", "2026-05-15"),
    "last_month": ("2026-04-01", "2026-05-01"),
    "qtd": ("2026-04-01", "2026-05-15"),
    "ytd": ("2026-01-01", "2026-05-15"),
    "12m": ("2025-06-01", "2026-05-15"),
    "all": ("2024-02-03", "2026-05-15"),
}


def test_every_name_has_its_days():
    first_day = date(2024, 2, 3)
    found = {name: named_range(name, THURSDAY, first_day) for name in RANGES}
    assert found == {name: days(*written) for name, written in NAMED.items()}


def test_all_takes_in_what_lies_ahead_and_today_in_any_case():
    ahead, before = date(2026, 6, 1), date(2026, 5, 2)
    found = [
        named_range("all", THURSDAY, *booked)
        for booked in ((ahead,), (before, ahead), (before, before), (before, THURSDAY))
    ]
    assert found == [
        days("2026-05-14", "2026-05-15"),
        days("2026-05-02", "2026-06-02"),
        days("2026-05-02", "2026-05-15"),
        days("2026-05-02", "2026-05-15"),
    ]


@pytest.mark.parametrize(
    ("today", "start"),
    [
        ("2026-01-01", "2026-01-01"),
        ("2026-03-31", "2026-01-01"),
        ("2026-04-01", "2026-04-01"),
        ("2026-12-31", "2026-10-01"),
    ],
)
def test_quarters_begin_with_january_april_july_and_october(today, start):
    found, _ = named_range("qtd", date.fromisoformat(today), THURSDAY)
    assert found == date.fromisoformat(start)


@pytest.mark.parametrize(
    ("name", "asked", "before"),
    [
        ("today", ("2026-05-14", "2026-05-15"), ("2026-05-13", "2026-05-14")),
        ("7d", ("2026-05-08", "2026-05-15"), ("2026-05-01", "2026-05-08")),
        # Thirty days are thirty days, also where they happen to be a month.
        ("30d", ("2026-04-01", "2026-05-01"), ("2026-03-02", "2026-04-01")),
        ("mtd", ("2026-05-01", "2026-05-15"), ("2026-04-01", "2026-04-15")),
        # February has no thirty-first: the month before is compared whole, never more.
        ("mtd", ("2026-03-01", "2026-04-01"), ("2026-02-01", "2026-03-01")),
        ("last_month", ("2026-04-01", "2026-05-01"), ("2026-03-01", "2026-04-01")),
        ("qtd", ("2026-04-01", "2026-05-15"), ("2026-01-01", "2026-02-14")),
        ("ytd", ("2026-01-01", "2026-05-15"), ("2025-01-01", "2025-05-15")),
        ("12m", ("2025-06-01", "2026-05-15"), ("2024-06-01", "2025-05-15")),
        # Days that are whole months count as months, others as days.
        ("", ("2026-04-01", "2026-07-01"), ("2026-01-01", "2026-04-01")),
        ("", ("2025-11-01", "2026-02-01"), ("2025-08-01", "2025-11-01")),
        ("", ("2026-04-01", "2026-04-15"), ("2026-03-18", "2026-04-01")),
        ("", ("2026-04-03", "2026-05-01"), ("2026-03-06", "2026-04-03")),
        ("", ("2026-04-03", "2026-05-03"), ("2026-03-04", "2026-04-03")),
    ],
)
def test_a_range_is_compared_with_the_same_part_of_the_period_before(name, asked, before):
    assert range_before(name, *days(*asked)) == days(*before)


def test_a_year_before_the_leap_day_is_the_last_of_february():
    asked = days("2024-02-29", "2024-03-31")
    assert range_a_year_before(*asked) == days("2023-02-28", "2023-03-31")


@pytest.mark.parametrize(
    ("earlier", "first", "moved"),
    [
        # A Wednesday becomes the Thursday after it, and whole days move along.
        (("2025-05-14", "2025-05-21"), "2026-05-14", ("2025-05-15", "2025-05-22")),
        # From a Monday it is three days to Thursday, but to Friday four, so the Friday before.
        (("2026-05-04", "2026-05-05"), "2026-05-14", ("2026-05-07", "2026-05-08")),
        (("2026-05-04", "2026-05-07"), "2026-05-15", ("2026-05-01", "2026-05-04")),
        # It may end where the later one begins, not after that.
        (("2026-05-06", "2026-05-13"), "2026-05-14", ("2026-05-07", "2026-05-14")),
        (("2026-04-13", "2026-05-13"), "2026-05-14", ("2026-04-09", "2026-05-09")),
    ],
)
def test_weekdays_are_compared_with_the_same_weekdays(earlier, first, moved):
    assert on_same_weekday(*days(*earlier), date.fromisoformat(first)) == days(*moved)


@pytest.mark.parametrize(
    ("day", "months", "later"),
    [
        ("2026-01-31", 1, "2026-02-28"),
        ("2024-01-31", 1, "2024-02-29"),
        ("2026-12-15", 1, "2027-01-15"),
        ("2026-01-15", -1, "2025-12-15"),
        ("2026-03-31", -13, "2025-02-28"),
        ("2026-11-30", 0, "2026-11-30"),
    ],
)
def test_months_later_is_the_same_day_or_the_months_last(day, months, later):
    assert months_later(date.fromisoformat(day), months) == date.fromisoformat(later)


@pytest.mark.parametrize(
    ("day", "bucket", "first"),
    [
        ("2026-05-11", "week", "2026-05-11"),
        ("2026-05-17", "week", "2026-05-11"),
        ("2026-05-18", "week", "2026-05-18"),
        ("2026-05-31", "month", "2026-05-01"),
        ("2026-05-14", "day", "2026-05-14"),
    ],
)
def test_weeks_begin_on_monday_and_months_with_their_first(day, bucket, first):
    assert bucket_of(date.fromisoformat(day), bucket) == date.fromisoformat(first)


@pytest.mark.parametrize(
    ("day", "week_start", "first"),
    [
        ("2026-05-17", 6, "2026-05-17"),  # a Sunday
        ("2026-05-16", 6, "2026-05-10"),
        ("2026-05-18", 6, "2026-05-17"),
        ("2026-05-16", 5, "2026-05-16"),
        ("2026-05-15", 5, "2026-05-09"),
        ("2026-05-17", 0, "2026-05-11"),
    ],
)
def test_weeks_begin_on_the_day_that_was_chosen(day, week_start, first):
    assert bucket_of(date.fromisoformat(day), "week", week_start) == date.fromisoformat(first)


@pytest.mark.parametrize(
    ("asked", "bucket", "starts"),
    [
        (("2026-04-29", "2026-05-12"), "week", ("2026-04-27", "2026-05-04", "2026-05-11")),
        (("2026-04-29", "2026-05-11"), "week", ("2026-04-27", "2026-05-04")),
        (("2025-12-15", "2026-02-01"), "month", ("2025-12-01", "2026-01-01")),
        (("2026-02-27", "2026-03-02"), "day", ("2026-02-27", "2026-02-28", "2026-03-01")),
        (("2026-02-27", "2026-02-27"), "day", ()),
    ],
)
def test_every_bucket_that_holds_a_day_of_the_range_is_there(asked, bucket, starts):
    assert bucket_starts(*days(*asked), bucket) == days(*starts)


@pytest.mark.parametrize(
    ("day", "hours", "first", "last"),
    [
        ("2026-03-29", 23, "2026-03-28T23:00Z", "2026-03-29T21:00Z"),
        ("2026-10-25", 25, "2026-10-24T22:00Z", "2026-10-25T22:00Z"),
    ],
)
def test_a_day_on_which_the_clocks_change_has_its_own_number_of_hours(day, hours, first, last):
    start = date.fromisoformat(day)
    found = hour_starts(start, start.replace(day=start.day + 1), BERLIN)
    assert len(found) == hours
    assert (found[0], found[-1]) == (datetime.fromisoformat(first), datetime.fromisoformat(last))


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("2026-05-13", datetime(2026, 5, 13, 8, tzinfo=UTC)),
        # Two o'clock was skipped on that day: ten hours of it were over at eleven.
        ("2026-03-29", datetime(2026, 3, 29, 9, tzinfo=UTC)),
    ],
)
@pytest.mark.parametrize("zone", [UTC, BERLIN, ZoneInfo("Asia/Tokyo")])
def test_the_same_hour_is_when_as_many_whole_hours_of_a_day_are_over(other, same, zone):
    now = datetime(2026, 5, 14, 8, 45, tzinfo=UTC).astimezone(zone)
    assert same_hour(date.fromisoformat(other), now, BERLIN) == same


def test_hours_are_over_by_the_clock_of_the_zone():
    # A quarter to eleven in the evening of the day before, and no hour of today yet, in Berlin.
    now = datetime(2026, 5, 14, 22, 45, tzinfo=UTC)
    assert same_hour(date(2026, 5, 13), now, BERLIN) == datetime(2026, 5, 12, 22, tzinfo=UTC)


def test_hours_are_those_of_the_clock_where_it_changes_by_half_an_hour():
    zone = ZoneInfo("Australia/Lord_Howe")
    start, end = date(2026, 10, 3), date(2026, 10, 6)
    first, last = day_start(start, zone), day_start(end, zone)
    minutes = (last - first) // timedelta(minutes=1)
    moments = (first + timedelta(minutes=n) for n in range(minutes))
    expected = tuple(dict.fromkeys(hour_of(moment, zone) for moment in moments))
    assert hour_starts(start, end, zone) == expected
