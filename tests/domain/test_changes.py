"""What inputs change adds up, and comes back from its JSON as it was."""

from decimal import Decimal

import pytest

from accounting.domain.changes import Change

ONE = Change(
    requests=1,
    errors=2,
    unpriced_requests=3,
    input_tokens=10,
    cache_read_input_tokens=4,
    output_tokens=7,
    cost={"USD": Decimal("1.50")},
    reported_cost={"EUR": Decimal(2), "CNY": Decimal("0.000000000001")},
)
TWO = Change(
    requests=10,
    errors=20,
    unpriced_requests=30,
    input_tokens=5,
    cache_write_input_tokens=0,
    cost={"USD": Decimal("0.25"), "CNY": Decimal(3)},
    reported_cost={"EUR": Decimal("0.5")},
)
BOTH = {
    "requests": 11,
    "errors": 22,
    "input_tokens": 15,
    "cache_read_input_tokens": 4,
    "cache_write_input_tokens": 0,
    "output_tokens": 7,
    "reasoning_output_tokens": None,
    "cost": {"CNY": "3", "USD": "1.75"},
    "reported_cost": {"CNY": "0.000000000001", "EUR": "2.5"},
    "unpriced_requests": 33,
}


@pytest.mark.parametrize(("one", "two"), [(ONE, TWO), (TWO, ONE)])
def test_changes_add_up_by_kind_and_currency_and_what_nobody_told_stays_unknown(one, two):
    written = (one + two).as_json()
    assert written == BOTH
    assert [list(written["cost"]), list(written["reported_cost"])] == [
        ["CNY", "USD"],
        ["CNY", "EUR"],
    ]


def test_a_change_comes_back_as_it_was_written():
    assert Change.from_json((ONE + TWO).as_json()) == ONE + TWO


def test_nothing_is_no_change_and_adds_nothing():
    assert Change.from_json({}) == Change()
    assert Change() + ONE == ONE
