"""Days, hours and months are the organization's, by its zone and never by an offset, in every place."""

from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from accounting.domain.periods import day_start
from accounting.queries.comparing import comparison
from accounting.queries.filters import usage_filter
from accounting.queries.projection import month_projections
from accounting.queries.requests import request_page
from accounting.queries.series import usage_stack
from accounting.queries.sessions import session_table
from accounting.queries.spend import usage_table, usage_totals
from accounting.queries.writing import written_range
from accounting.services.rollups import change_time_zone
from tests.failures.logs import event
from tests.ingest.conftest import ndjson

JANUARY = {"from": "2031-01-01", "to": "2031-02-01"}


@pytest.fixture
def asked(books, ingest, log):
    """Read one event a moment into books of a zone; then ask."""

    def moments_in(zone, *moments, session=""):
        change_time_zone(organization_id=books.pk, time_zone=zone)
        books.refresh_from_db()
        lines = [
            event(id=f"r-{moment}", input_tokens=100, output_tokens=10, session_id=session)
            | {"started_at": moment}
            for moment in moments
        ]
        ingest(log("usage.jsonl", ndjson(*lines)))

        def ask(now="2031-12-31T00:00Z", **params):
            lists = {name: [value] for name, value in params.items()}
            return usage_filter(lists, books, datetime.fromisoformat(now))

        return ask

    return moments_in


def days(wanted):
    return [row.bucket for row in usage_table(wanted).rows]


def test_b071_an_evening_does_not_move_to_tomorrow(asked):
    ask = asked("America/Los_Angeles", "2031-01-25T04:08:00Z")
    assert days(ask(bucket="day", **JANUARY)) == [date(2031, 1, 24)]
    (row,) = request_page(ask(**JANUARY)).rows
    assert row.occurred_at.isoformat() == "2031-01-24T20:08:00-08:00"


def test_b073_the_days_of_a_month_are_the_month(asked):
    ask = asked("America/New_York", "2031-02-01T01:00:00Z", "2031-01-05T12:00:00Z")
    span = {"from": "2031-01-01", "to": "2031-03-01"}
    assert days(ask(bucket="day", **span)) == [date(2031, 1, 5), date(2031, 1, 31)]
    assert days(ask(bucket="month", **span)) == [date(2031, 1, 1)]
    daily = usage_table(ask(bucket="day", **JANUARY)).rows
    assert sum(row.totals.requests for row in daily) == 2
    assert usage_totals(ask(**JANUARY)).requests == 2
    assert usage_totals(ask(**{"from": "2031-02-01", "to": "2031-03-01"})).requests == 0


def test_b075_today_is_one_day_in_every_place(asked):
    now = "2031-08-26T05:19:00Z"
    ask = asked("America/Los_Angeles", "2031-08-26T04:00:00Z", session="s")
    today = ask(now, range="today", bucket="day")
    assert (today.start, today.end) == (date(2031, 8, 25), date(2031, 8, 26))
    assert days(today) == [date(2031, 8, 25)]
    assert len(session_table(today).rows) == len(request_page(today).rows) == 1
    assert comparison(today).start == date(2031, 8, 24)
    assert ask(now, range="7d").end == date(2031, 8, 26)
    assert ask(now, **{"from": "2031-08-01"}).end == date(2031, 8, 26)
    (month,) = month_projections(ask("2031-09-01T05:19:00Z", range="today"))
    assert (month.start, month.end) == (date(2031, 8, 1), date(2031, 9, 1))


def test_b076_a_morning_in_the_east_is_in_today_and_the_zone_is_told(asked):
    ask = asked("Asia/Tokyo", "2031-08-25T22:30:00Z")
    today = ask("2031-08-25T23:00:00Z", range="today")
    assert usage_totals(today).requests == 1
    assert written_range(today) == {
        "from": "2031-08-26",
        "to": "2031-08-27",
        "time_zone": "Asia/Tokyo",
        "currency": "USD",
    }


def test_b078_a_single_day_holds_its_local_evening(asked):
    ask = asked("America/Chicago", "2031-09-08T02:23:34Z")
    assert usage_totals(ask(**{"from": "2031-09-07", "to": "2031-09-08"})).requests == 1
    assert usage_totals(ask(**{"from": "2031-09-08", "to": "2031-09-09"})).requests == 0


def test_b080_month_to_date_leaves_out_the_last_day_of_the_month_before(asked):
    moments = ("2031-03-31T22:30:00Z", "2031-03-31T23:30:00Z", "2031-04-02T08:00:00Z")
    ask = asked("Africa/Lagos", *moments)
    wanted = ask("2031-04-02T10:00:00Z", range="mtd", bucket="day")
    assert wanted.buckets == (date(2031, 4, 1), date(2031, 4, 2))
    assert days(wanted) == [date(2031, 4, 1), date(2031, 4, 2)]
    assert usage_totals(wanted).requests == 2


@pytest.mark.parametrize("zone", ["Etc/GMT+8", "America/Los_Angeles"])
def test_b081_a_local_day_takes_its_rows_of_the_next_day_in_utc(asked, zone):
    ask = asked(zone, "2031-02-05T03:00:00Z")
    assert usage_totals(ask(**{"from": "2031-02-04", "to": "2031-02-05"})).requests == 1


def test_b083_hours_of_a_half_hour_zone_are_its_own(asked):
    ask = asked("Asia/Kolkata", "2031-03-01T18:45:00Z")
    span = {"from": "2031-03-01", "to": "2031-03-04"}
    (hour,) = days(ask(bucket="hour", **span))
    assert hour.isoformat() == "2031-03-02T00:00:00+05:30"
    assert days(ask(bucket="day", **span)) == [date(2031, 3, 2)]


def test_b085_hours_go_on_where_the_clock_goes_back(asked):
    moments = [f"2031-10-26T{hour}:00Z" for hour in ("00:30", "01:30", "02:30")]
    ask = asked("Europe/Berlin", *moments, session="over-the-change")
    day = ask(bucket="hour", **{"from": "2031-10-26", "to": "2031-10-27"})
    assert len(day.buckets) == len(set(day.buckets)) == 25
    assert [hour.isoformat()[11:] for hour in days(day)] == [
        "02:00:00+02:00",
        "02:00:00+01:00",
        "03:00:00+01:00",
    ]
    by_team = ask(bucket="hour", group="team", **{"from": "2031-10-26", "to": "2031-10-27"})
    assert days(by_team) == days(day)
    assert days(replace(by_team, bucket="day")) == [date(2031, 10, 26)]
    (session,) = session_table(day).rows
    assert session.duration == timedelta(hours=2)


@pytest.mark.parametrize("configured", ["2031-01-15", "2031-07-15"])
def test_b086_a_zone_is_a_zone_whenever_it_was_chosen(asked, books, configured):
    books.configured_at = day_start(date.fromisoformat(configured), ZoneInfo("Europe/Berlin"))
    books.save()
    # The last half hour of the 30th of June and the first of the 1st of July, in summer time.
    ask = asked("Europe/Berlin", "2031-06-30T21:30:00Z", "2031-06-30T22:30:00Z")
    june = ask(**{"from": "2031-06-01", "to": "2031-07-01"})
    july = ask(**{"from": "2031-07-01", "to": "2031-08-01"})
    assert (usage_totals(june).requests, usage_totals(july).requests) == (1, 1)


@pytest.mark.parametrize("change", [date(2031, 3, 30), date(2031, 10, 26)])
def test_b088_each_day_over_a_change_of_clocks_comes_once(asked, change):
    start, end = change - timedelta(days=7), change + timedelta(days=7)
    noons = [f"{start + timedelta(days=n)}T12:00:00Z" for n in range(14)]
    ask = asked("Europe/London", *noons)
    wanted = ask(bucket="day", **{"from": start.isoformat(), "to": end.isoformat()})
    assert list(wanted.buckets) == [start + timedelta(days=n) for n in range(14)]
    assert days(wanted) == list(wanted.buckets)


@pytest.mark.parametrize("start", ["2031-03-23", "2031-10-19"])
def test_b090_a_chart_of_fourteen_days_has_fourteen_points(asked, start):
    first = date.fromisoformat(start)
    ask = asked("Europe/Berlin", f"{start}T12:00:00Z")
    end = (first + timedelta(days=14)).isoformat()
    stack, _ = usage_stack(ask(metric="requests", **{"from": start, "to": end}))
    assert len(stack.buckets) == 14
    (series,) = stack.series
    assert [int(amount) for amount in series.amounts] == [1, *[0] * 13]
