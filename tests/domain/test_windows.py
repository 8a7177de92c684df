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
DEEPSEEK = rate_book(
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
    rating = DEEPSEEK.rate(use(input_tokens=1_000_000), datetime.fromisoformat(at))
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
