"""Prices that hold at some hours of some days."""

from datetime import UTC, datetime, time

import pytest

from accounting.domain.rates import Window
from tests.books import rate, rate_book, use

AUTUMN = datetime(2026, 9, 10, tzinfo=UTC)
WORKDAYS = 0b0011111
PEAKS = [
    Window(zone="Asia/Shanghai", start=time(9), end=time(12), weekdays=WORKDAYS),
    Window(zone="Asia/Shanghai", start=time(14), end=time(18), weekdays=WORKDAYS),
]


def deepseek():
    return rate_book(
        rate("input", "0.14", start=datetime(2020, 1, 1, tzinfo=UTC), effective_to=AUTUMN),
        rate("input", "0.15", start=AUTUMN),
        *(rate("input", "0.30", start=AUTUMN, window=window) for window in PEAKS),
    )


@pytest.mark.parametrize(
    ("at", "price"),
    [
        ("2026-01-15T02:00:00Z", 140_000_000_000),  # before there were peaks
        ("2026-11-25T02:00:00Z", 300_000_000_000),  # a Wednesday
        ("2026-11-28T02:00:00Z", 150_000_000_000),  # Saturday
        ("2026-11-29T08:00:00Z", 150_000_000_000),  # Sunday
        ("2026-11-30T00:59:59Z", 150_000_000_000),  # Monday, a second before nine in Beijing
        ("2026-11-30T01:00:00Z", 300_000_000_000),
        ("2026-11-30T03:59:59Z", 300_000_000_000),
        ("2026-11-30T04:00:00Z", 150_000_000_000),
    ],
)
def test_peak_hours_hold_on_workdays_of_their_own_zone(at, price):
    rating = deepseek().rate(use(input_tokens=1_000_000), datetime.fromisoformat(at))
    assert rating.cost == price


@pytest.mark.parametrize(
    ("at", "holds"),
    [
        ("2026-11-27T22:30:00Z", True),  # Friday night
        ("2026-11-28T01:59:59Z", True),  # ... after midnight it is still Friday's
        ("2026-11-28T02:00:00Z", False),
        ("2026-11-28T22:30:00Z", False),  # Saturday night
        ("2026-11-29T00:30:00Z", False),
    ],
)
def test_a_window_over_midnight_belongs_to_the_day_it_starts_on(at, holds):
    friday = Window(zone="UTC", start=time(22), end=time(2), weekdays=0b0010000)
    assert friday.holds(datetime.fromisoformat(at)) is holds


def clock(written):
    return datetime.fromisoformat(f"2026-11-25T{written}Z")


@pytest.mark.parametrize(
    ("start", "end", "inside", "outside"),
    [
        (time(8), time(12), ("08:00", "11:59:59.999999"), ("07:59:59.999999", "12:00")),
        (time(22), time(2), ("22:00", "01:59:59.999999"), ("21:59:59.999999", "02:00")),
        (time(9), time(9), ("09:00", "08:59:59.999999", "00:00", "23:59"), ()),
    ],
)
def test_a_window_is_half_open_and_one_that_ends_as_it_starts_is_the_whole_day(
    start, end, inside, outside
):
    window = Window(zone="UTC", start=start, end=end)
    assert [window.holds(clock(at)) for at in inside] == [True] * len(inside)
    assert [window.holds(clock(at)) for at in outside] == [False] * len(outside)


def test_a_whole_day_belongs_to_the_weekday_it_starts_on():
    friday = Window(zone="UTC", start=time(9), end=time(9), weekdays=0b0010000)
    moments = ("2026-11-27T08:59Z", "2026-11-27T09:00Z", "2026-11-28T08:59Z", "2026-11-28T09:00Z")
    found = [friday.holds(datetime.fromisoformat(at)) for at in moments]
    assert found == [False, True, True, False]


@pytest.mark.parametrize(
    ("start", "end", "holds"),
    [
        (time(9), time(12, 45), True),
        (time(9, 15), time(12, 30), True),
        (time(9, 5), time(12), False),
        (time(9), time(12, 5), False),
        (time(9, 0, 1), time(12), False),
        (time(9), time(12, 0, 0, 1), False),
    ],
)
def test_windows_on_full_quarters_are_known(start, end, holds):
    assert Window(zone="UTC", start=start, end=end).on_quarters is holds
