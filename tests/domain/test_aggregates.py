"""Rows of reports: their sums, and what a row adds where an earlier one stood."""

from datetime import UTC, datetime
from decimal import Decimal

from accounting.domain.aggregates import Aggregate, AggregateTotals, difference

DAY = datetime(2026, 3, 10, tzinfo=UTC)


def row(**told):
    return Aggregate(
        source="report",
        fingerprint=b"row",
        period_start=DAY,
        period_end=DAY.replace(day=11),
        **told,
    )


def test_a_first_row_adds_what_it_tells_and_nothing_of_what_it_does_not():
    told = row(
        requests=3,
        output_tokens=0,
        reported_cost=Decimal("1.5"),
        reported_currency="USD",
        credits=Decimal(7),
    )
    assert difference(told, None) == AggregateTotals(
        counts={"requests": 3, "output_tokens": 0}, cost={"USD": Decimal("1.5")}, credits=Decimal(7)
    )
    assert difference(row(), None) == AggregateTotals()


def test_a_later_row_adds_only_what_it_says_more():
    before = row(
        requests=3,
        input_tokens=10,
        reported_cost=Decimal("1.5"),
        reported_currency="USD",
        credits=Decimal(7),
    )
    after = row(
        requests=5,
        input_tokens=10,
        output_tokens=4,
        reported_cost=Decimal("2.25"),
        reported_currency="USD",
        credits=Decimal(9),
    )
    assert difference(after, before) == AggregateTotals(
        counts={"requests": 2, "input_tokens": 0, "output_tokens": 4},
        cost={"USD": Decimal("0.75")},
        credits=Decimal(2),
    )


def test_a_cost_that_only_the_later_row_tells_is_added_whole():
    after = row(reported_cost=Decimal(2), reported_currency="EUR", credits=Decimal(3))
    assert difference(after, row()) == AggregateTotals(cost={"EUR": Decimal(2)}, credits=Decimal(3))


def test_what_a_later_row_no_longer_tells_is_taken_away():
    before = row(
        requests=3,
        output_tokens=4,
        reported_cost=Decimal("1.5"),
        reported_currency="USD",
        credits=Decimal(7),
    )
    after = row(requests=5, reported_cost=Decimal(2), reported_currency="EUR")
    assert difference(after, before) == AggregateTotals(
        counts={"requests": 2, "output_tokens": -4},
        cost={"EUR": Decimal(2), "USD": Decimal("-1.5")},
        credits=Decimal(-7),
    )


ONE = AggregateTotals(
    counts={"requests": 1, "input_tokens": 10}, cost={"USD": Decimal("1.50")}, credits=Decimal(2)
)
TWO = AggregateTotals(
    counts={"requests": 2, "output_tokens": 0}, cost={"EUR": Decimal(3), "USD": Decimal("0.25")}
)
BOTH = {
    "requests": 3,
    "input_tokens": 10,
    "uncached_input_tokens": None,
    "cache_read_input_tokens": None,
    "cache_write_input_tokens": None,
    "output_tokens": 0,
    "reasoning_output_tokens": None,
    "web_search_requests": None,
    "reported_cost": {"EUR": "3", "USD": "1.75"},
    "credits": "2",
}


def test_sums_are_by_count_and_by_currency_and_what_nobody_tells_is_null():
    assert (ONE + TWO).as_json() == (TWO + ONE).as_json() == BOTH
    assert list((ONE + TWO).as_json()["reported_cost"]) == ["EUR", "USD"]
    assert (ONE + ONE).credits == 4
    assert (TWO + TWO).as_json()["credits"] is None


def test_sums_come_back_as_they_were_written():
    assert AggregateTotals.from_json((ONE + TWO).as_json()) == ONE + TWO
    assert AggregateTotals.from_json({}) == AggregateTotals()
