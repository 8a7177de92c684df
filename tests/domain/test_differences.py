"""Differences add up exactly, survive being written down, and keep unknown apart from 0."""

from decimal import Decimal

from accounting.domain.differences import DifferenceKey, Differences

KEY = DifferenceKey(
    month="2026-11", provider="testing", model="opal", cause="rate_changed", currency="USD"
)
UNKNOWN = {"cost": None, "cost_base": None, "credits": None}


def amounts(cost):
    return {"cost": cost, "cost_base": cost, "credits": None}


def test_sums_and_difference_are_exact_however_large():
    found = Differences()
    row = found.row(KEY)
    for _ in range(3):
        row.add("old", amounts(9_000_000 * 10**12 + 1))
        row.add("new", amounts(9_000_000 * 10**12 + 4))

    (written,) = found.as_json()["rows"]

    assert written["old_cost"] == "27000000.000000000003"
    assert written["new_cost"] == "27000000.000000000012"
    assert written["difference_cost"] == "0.000000000009"
    assert (written["old_credits"], written["difference_credits"]) == (None, "0")


def test_an_unknown_amount_is_null_beside_a_known_difference():
    found = Differences()
    found.row(KEY).add("old", UNKNOWN)
    found.row(KEY).add("new", amounts(5 * 10**12))

    (written,) = found.as_json()["rows"]

    assert (written["old_cost"], written["new_cost"], written["difference_cost"]) == (
        None,
        "5",
        "5",
    )


def test_what_was_written_down_is_read_again_and_added_to():
    found = Differences(events=7, changed=2, left=1)
    found.row(KEY).add("old", amounts(10**12))
    found.row(KEY._replace(booked_in="2026-12")).add("new", amounts(-3))
    found.add_unpriced("2026-11", "testing", "jade", 10)
    found.add_unpriced("2026-11", "testing", "jade", 5)

    again = Differences.from_json(found.as_json())

    assert again.as_json() == found.as_json()
    again.row(KEY).add("old", amounts(1))
    assert again.as_json()["rows"][0]["old_cost"] == "1.000000000001"
    assert again.unpriced == {("2026-11", "testing", "jade"): (2, 15)}
    booked = again.as_json()["rows"][1]
    assert (booked["booked_in"], Decimal(booked["new_cost"])) == (
        "2026-12",
        Decimal("-0.000000000003"),
    )


def test_nothing_written_down_is_nothing_found():
    assert Differences.from_json({}) == Differences()


def test_how_many_events_a_row_has_comes_back_too():
    found = Differences()
    found.row(KEY).events = 3
    assert Differences.from_json(found.as_json()).rows[KEY].events == 3


def test_a_sum_stays_known_when_one_more_amount_is_not():
    found = Differences()
    for cost in (None, 2, None, 3):
        found.row(KEY).add("new", amounts(cost))
    assert found.row(KEY).new == {"cost": 5, "cost_base": 5, "credits": None}


def test_sums_beyond_twenty_eight_digits_come_back_to_the_last():
    found = Differences()
    found.row(KEY).add("old", amounts(10**29 + 1))
    assert Differences.from_json(found.as_json()).row(KEY).old["cost"] == 10**29 + 1
