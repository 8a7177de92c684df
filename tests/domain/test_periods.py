"""Hours, days and months: half-open, in the organization's zone."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from accounting.domain.errors import BadMomentError
from accounting.domain.periods import (
    checked_moment,
    day_of,
    day_start,
    hour_of,
    month_of,
    near_month_edge,
    next_month,
)


@pytest.mark.parametrize(
    ("zone", "changes"),
    [
        ("Europe/Berlin", "2026-10-25"),
        ("Australia/Lord_Howe", "2026-04-05"),
        ("Australia/Lord_Howe", "2026-10-04"),
        ("America/Havana", "2026-11-01"),
        ("Asia/Kolkata", "2026-03-01"),
        ("Africa/Cairo", "2026-04-24"),
    ],
)
@pytest.mark.django_db
def test_hours_agree_with_postgresql_over_every_change_of_clocks(zone, changes):
    start = datetime.fromisoformat(f"{changes}T00:00:00+00:00") - timedelta(hours=16)
    moments = [start + timedelta(minutes=5 * n) for n in range(12 * 48)]

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT date_trunc('hour', m, %s) FROM unnest(%s::timestamptz[]) WITH ORDINALITY "
            "AS u (m, n) ORDER BY n",
            [zone, moments],
        )
        expected = [hour.astimezone(UTC) for (hour,) in cursor.fetchall()]

    assert [hour_of(moment, ZoneInfo(zone)) for moment in moments] == expected


def test_a_day_of_a_zone_starts_at_its_midnight():
    start = day_start(date(2026, 3, 1), ZoneInfo("Asia/Kolkata"))
    assert start == datetime(2026, 2, 28, 18, 30, tzinfo=UTC)
    assert start.tzinfo is UTC


def test_months_are_utc_months_and_december_is_followed_by_january():
    assert month_of(datetime(2026, 12, 31, 23, 59, tzinfo=UTC)) == date(2026, 12, 1)
    assert next_month(date(2026, 12, 1)) == date(2027, 1, 1)


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (datetime(2026, 2, 1, 23, 59, 59, tzinfo=UTC), True),
        (datetime(2026, 2, 2, 0, 0, tzinfo=UTC), False),
        (datetime(2026, 1, 31, 0, 0, tzinfo=UTC), True),
        (datetime(2026, 1, 30, 23, 59, tzinfo=UTC), False),
        (datetime(2026, 2, 3, tzinfo=UTC), False),
        (datetime(2026, 2, 15, 12, tzinfo=UTC), False),
        (datetime(2026, 2, 26, 23, 59, tzinfo=UTC), False),
        (datetime(2026, 2, 27, 23, 59, tzinfo=UTC), False),
        (datetime(2026, 2, 28, 0, 0, tzinfo=UTC), True),
    ],
)
def test_a_day_before_and_after_a_months_edge_is_near_it(moment, expected):
    assert near_month_edge(moment) is expected


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2019-12-31T23:59:00+00:00", "2019-12-31T23:59:00+00:00 is outside 2020 to 2099"),
        ("2100-01-01T00:00:00+00:00", "2100-01-01T00:00:00+00:00 is outside 2020 to 2099"),
        # Still the old year here, and the new one already where the books are kept.
        ("2099-12-31T23:00:00-01:00", "2100-01-01T00:00:00+00:00 is outside 2020 to 2099"),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00 has no offset"),
        ("0001-01-01T00:00:00+01:00", "0001-01-01T00:00:00+01:00 is outside the calendar"),
        ("9999-12-31T23:30:00-01:00", "9999-12-31T23:30:00-01:00 is outside the calendar"),
    ],
)
def test_moments_without_offset_or_outside_the_books_are_refused(written, said):
    with pytest.raises(BadMomentError) as refused:
        checked_moment(datetime.fromisoformat(written))
    assert str(refused.value) == said


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2020-01-01T00:00:00+00:00", datetime(2020, 1, 1, tzinfo=UTC)),
        ("2099-12-31T23:59:59+00:00", datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("2026-03-10T13:00:00+01:00", datetime(2026, 3, 10, 12, tzinfo=UTC)),
    ],
)
def test_a_moment_of_the_books_comes_back_in_utc(written, moment):
    checked = checked_moment(datetime.fromisoformat(written))
    assert checked == moment
    assert checked.tzinfo is UTC


@pytest.mark.parametrize(
    ("zone", "moment", "hour", "day"),
    [
        ("Asia/Kolkata", "2026-03-10T12:29:59Z", "2026-03-10T11:30:00Z", "2026-03-10"),
        ("Asia/Kolkata", "2026-03-10T18:30:00Z", "2026-03-10T18:30:00Z", "2026-03-11"),
        ("America/New_York", "2026-03-10T03:59:59.5Z", "2026-03-10T03:00:00Z", "2026-03-09"),
        ("UTC", "2026-03-10T12:59:59.999999Z", "2026-03-10T12:00:00Z", "2026-03-10"),
    ],
)
def test_hours_and_days_are_those_of_the_zones_clock(zone, moment, hour, day):
    at, where = datetime.fromisoformat(moment), ZoneInfo(zone)
    assert hour_of(at, where) == datetime.fromisoformat(hour)
    assert day_of(at, where) == date.fromisoformat(day)
