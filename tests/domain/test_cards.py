"""What a card and its book keep of what they have worked out, and what they take for ordinary."""

from datetime import time

import pytest

from accounting.domain.cards import Card, Tray
from accounting.domain.rates import Window
from tests.books import NOON, START, rate, rate_book, use


def test_a_plan_is_made_once_for_each_time_band_and_open_window():
    morning = Window(zone="UTC", start=time(8), end=time(12))
    book = rate_book(
        rate("input", "1"),
        rate("input", "2", input_gt=5),
        rate("input", "3", window=morning),
        rate("input", "4", start=NOON),
    )
    asked = [(at, tokens) for at in (START, START.replace(hour=9), NOON) for tokens in (5, 6)]
    plans = [book.plan(use(), at, tokens) for at, tokens in asked]
    again = [book.plan(use(), at, tokens) for at, tokens in asked]
    assert [one is two for one, two in zip(plans, again, strict=True)] == [True] * 6
    # NOON is after the morning, and in the morning its window says more than the band.
    assert len({id(plan) for plan in plans}) == 6


def test_a_condition_that_the_row_of_one_unit_knows_is_known():
    flex = (("service_tier", "flex"),)
    for units in (("input", "output"), ("output", "input")):
        book = rate_book(rate(units[0], "1", conditions=flex), rate(units[1], "2"))
        assert not book.plan(use(service_tier="flex"), NOON, 5).assumed


def test_a_book_has_the_version_of_its_prices():
    assert rate_book().version == 1


@pytest.mark.parametrize(("condition", "is_assumed"), [("shape", True), ("region", False)])
def test_of_a_condition_nobody_described_no_value_is_ordinary(condition, is_assumed):
    tray = Tray(currency="CNY", rates=[rate("input", "1")], multipliers=[])
    assert Card([tray], ((condition, "round"),)).plan(NOON, 5).assumed is is_assumed
