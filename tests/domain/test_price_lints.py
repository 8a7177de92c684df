"""Prices that look wrong though each row could be right: every doubt, and where there is none."""

from datetime import UTC, datetime, time
from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.domain.price_lints import Finding, findings, price_of_one
from accounting.domain.rates import Window
from tests.books import START, rate

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)
BATCH = (("processing", "batch"),)
FAST_BATCH = (("processing", "batch"), ("speed", "fast"))
FAST = (("speed", "fast"),)
MORNING = Window(zone="UTC", start=time(8), end=time(12))
NOON_ON = Window(zone="UTC", start=time(12), end=time(18))
SUNDAYS_LATE = Window(zone="UTC", start=time(11, 45), end=time(13), weekdays=0b1000000)


def doubts(*rows, new=None, listed=None):
    """Code, unit and message of each finding; all rows are new unless some are named."""
    found = findings(rows, is_new=lambda row: new is None or row in new, listed=listed or {})
    return [(one.code, one.unit, one.message) for one in found]


def codes(*rows, **more):
    return [code for code, _, _ in doubts(*rows, **more)]


def test_a_price_is_of_one_whatever_it_is_quoted_for():
    assert price_of_one(rate("input", "3")) == Fraction(3, 1_000_000)
    assert price_of_one(rate("web_searches", "10", per=1_000)) == Fraction(1, 100)


def test_a_finding_says_whose_price_it_is():
    (found,) = findings([rate("input", "10001")], is_new=bool, listed={})
    assert found == Finding(
        code="magnitude",
        provider="testing",
        model="opal",
        unit="input",
        message="10001 per million tokens: was it typed for one token?",
    )


@pytest.mark.parametrize(
    ("price", "doubted"),
    [
        ("0.0001", False),
        ("0.000099", True),
        ("10000", False),
        ("10000.000001", True),
        ("0", False),
    ],
)
def test_without_a_list_a_million_tokens_cost_a_ten_thousandth_to_ten_thousand(price, doubted):
    assert codes(rate("input", price)) == ["magnitude"] * doubted


def test_what_is_no_token_may_cost_anything():
    assert codes(rate("web_searches", "1000000")) == []


LISTED = {("testing", "opal", "input"): Fraction(3, 1_000_000)}


@pytest.mark.parametrize(
    ("price", "said"),
    [
        ("2999.999999", None),
        ("3000", "3000 per million is 1000 times the built-in list's 3"),
        ("0.003", "0.003 per million is 0.001 times the built-in list's 3"),
        ("0.003000001", None),
        ("0", None),
    ],
)
def test_a_price_is_doubted_from_a_thousand_times_the_listed_one_on(price, said):
    row = rate("input", price, provider="Testing", model="Opal")
    wanted = [("magnitude", "input", said)] if said else []
    assert doubts(row, listed=LISTED) == wanted


def test_a_listed_price_of_nothing_says_nothing():
    assert codes(rate("input", "5"), listed={("testing", "opal", "input"): Fraction(0)}) == []
    assert codes(rate("input", "20000"), listed={("testing", "opal", "input"): Fraction(0)}) == [
        "magnitude"
    ]


def test_only_new_rows_are_doubted():
    old = rate("input", "20000")
    assert codes(old, new=[]) == []
    assert codes(old, rate("output", "20000"), new=[old]) == ["magnitude"]


def test_a_price_for_long_requests_alone_leaves_the_short_ones_without():
    long = rate("input", "6", input_gt=200_000)
    said = ("no_base_price", "input", "no price up to 200000 tokens of input")
    assert doubts(long) == [said]
    assert doubts(long, rate("output", "3")) == [said]
    assert doubts(long, rate("input", "3", conditions=FAST)) == [said]
    assert doubts(long, rate("input", "3")) == []
    assert doubts(long, new=[]) == []


def test_models_are_looked_at_apart():
    long = rate("input", "6", input_gt=200_000)
    assert codes(long, rate("input", "3", model="flint")) == ["no_base_price"]


def test_reading_a_cache_should_not_cost_more_than_sending_anew():
    dear, whole = rate("input.cache_read", "4"), rate("input", "3")
    said = (
        "cached_above_input",
        "input.cache_read",
        "input.cache_read at 4 per 1000000 is more than input, input at 3 per 1000000",
    )
    assert doubts(dear, whole) == doubts(whole, dear) == [said]
    assert doubts(rate("input.cache_read", "3"), whole) == []
    assert doubts(rate("input.audio", "4"), whole) == []


@pytest.mark.parametrize("short", ["input.cache_write", "input.cache_write.5m"])
def test_keeping_a_cache_for_an_hour_should_not_cost_less_than_for_five_minutes(short):
    row, hour = rate(short, "4"), rate("input.cache_write.1h", "3")
    said = (
        "hour_below_5_minutes",
        "input.cache_write.1h",
        f"input.cache_write.1h at 3 per 1000000 is less than {short} at 4 per 1000000",
    )
    assert doubts(row, hour) == doubts(hour, row) == [said]
    assert doubts(row, rate("input.cache_write.1h", "4")) == []
    assert doubts(row, rate("input", "3")) == []


@pytest.mark.parametrize(
    "apart",
    [
        {"input_gt": 5},
        {"conditions": FAST},
        {"window": MORNING},
        {"start": MAY},
        {"model": "flint"},
    ],
)
def test_prices_that_never_hold_together_are_not_compared(apart):
    dear = rate("input.cache_read", "4", **apart)
    whole = rate("input", "3", effective_to=MAY)
    assert "cached_above_input" not in codes(dear, whole)
    assert "cached_above_input" not in codes(whole, dear)


@pytest.mark.parametrize("start", [START, MARCH])
def test_prices_that_hold_together_for_a_while_are_compared(start):
    dear = rate("input.cache_read", "4", start=start)
    assert codes(dear, rate("input", "3", effective_to=MAY)) == ["cached_above_input"]
    assert codes(rate("input", "3", effective_to=MAY), dear) == ["cached_above_input"]


@pytest.mark.parametrize(
    ("conditions", "standard", "price", "doubted"),
    [
        (BATCH, (), "3", True),
        (BATCH, (), "3.5", True),
        (BATCH, (), "2.999999", False),
        (FAST_BATCH, FAST, "3", True),
        (FAST_BATCH, (), "3", False),
        (BATCH, FAST, "3", False),
        (FAST, (), "3", False),
    ],
)
def test_a_batch_should_be_cheaper_than_the_same_without(conditions, standard, price, doubted):
    batch = rate("input", price, conditions=conditions)
    other = rate("input", "3", conditions=standard)
    said = (
        "batch_not_below_standard",
        "input",
        f"input at {price} per 1000000, standard input at 3 per 1000000",
    )
    assert doubts(batch, other) == doubts(other, batch) == [said] * doubted


def test_what_is_free_has_no_cheaper_batch():
    assert doubts(rate("input", "0", conditions=BATCH), rate("input", "0")) == []


def test_a_batch_in_another_window_is_another_matter():
    assert doubts(rate("input", "3", conditions=BATCH, window=MORNING), rate("input", "3")) == []


def test_windows_of_one_price_should_not_hold_at_one_time():
    one = rate("input", "3", window=NOON_ON)
    two = rate("input", "4", window=SUNDAYS_LATE, start=MARCH)
    # The first of March 2026 is a Sunday: both hold from noon on.
    said = (
        "windows_overlap",
        "input",
        "input at 3 per 1000000 and input at 4 per 1000000 both hold at 2026-03-01T12:00:00+00:00",
    )
    assert doubts(one, two) == [said]
    assert codes(two, one) == ["windows_overlap"]


def test_the_last_quarter_of_an_hour_of_a_week_counts_too():
    late = Window(zone="UTC", start=time(23, 45), end=time(0), weekdays=0b0100000)
    saturdays = Window(zone="UTC", start=time(22), end=time(0), weekdays=0b0100000)
    rows = [rate("input", "3", window=one, start=MARCH) for one in (late, saturdays)]
    assert [message[-25:] for _, _, message in doubts(*rows)] == ["2026-03-07T23:45:00+00:00"]


@pytest.mark.parametrize(
    "other",
    [
        {"window": MORNING},
        {"window": None},
        {"window": NOON_ON},
        {"window": SUNDAYS_LATE, "priority": 1},
        {"window": SUNDAYS_LATE, "conditions": FAST},
        {"window": SUNDAYS_LATE, "start": MAY},
    ],
)
def test_windows_apart_or_told_apart_by_something_else_are_fine(other):
    one = rate("input", "3", window=NOON_ON, effective_to=MAY)
    two = rate("input", "4", **other)
    assert "windows_overlap" not in codes(one, two) + codes(two, one)


def test_a_price_that_ends_before_the_next_begins_leaves_a_gap():
    before = rate("input", "3", effective_to=MARCH)
    after = rate("input", "4", start=MAY)
    said = (
        "gap",
        "input",
        "no price from 2026-03-01T00:00:00+00:00 to 2026-05-01T00:00:00+00:00",
    )
    assert doubts(before, after) == doubts(after, before) == [said]
    assert doubts(before, after, new=[before]) == doubts(before, after, new=[after]) == [said]
    assert doubts(before, after, new=[]) == []
    assert doubts(before, rate("input", "4", start=MARCH)) == []


@pytest.mark.parametrize(
    "line",
    [{"conditions": FAST}, {"window": MORNING}, {"priority": 1}, {"input_gt": 7}],
)
def test_other_prices_do_not_fill_a_gap_and_leave_none(line):
    before = rate("input", "3", effective_to=MARCH)
    after = rate("input", "4", start=MAY)
    between = rate("input", "9", start=MARCH, effective_to=MAY, **line)
    assert "gap" in codes(before, after, between)
    assert "gap" not in codes(before, rate("input", "9", start=MAY, **line))
    assert "gap" not in codes(before, rate("output", "4", start=MAY))
    assert codes(before, after, rate("input", "3.5", start=MARCH, effective_to=MAY)) == []


def test_a_doubt_is_told_once():
    rows = [rate("input", "20000"), rate("input", "20000", start=MARCH)]
    assert codes(*rows) == ["magnitude"]


def test_doubts_about_two_rows_need_one_of_them_to_be_new():
    dear, whole = rate("input.cache_read", "4"), rate("input", "3")
    assert codes(dear, whole, new=[]) == []
    assert codes(dear, whole, new=[dear]) == codes(dear, whole, new=[whole])
    assert codes(dear, whole, new=[whole]) == ["cached_above_input"]


def test_messages_show_six_digits():
    row = rate("input", "12345.678901")
    assert doubts(row)[0][2].startswith("12345.7 per million tokens")
    assert doubts(rate("input", "10000.049"))[0][2].startswith("10000 per million tokens")
    assert price_of_one(row) == Fraction(Decimal("12345.678901")) / 1_000_000
