"""What a request costs."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from accounting.domain.errors import BadAmountError, BadCountError
from tests.books import NOON, factor, rate, rate_book, shelf, use

CREDITS = (rate("input", "0.5"), rate("input.cache_read", "0.1"), rate("output", "1.5"))


def brief():
    """A new book each time: one that was asked before keeps the plans it made."""
    return rate_book(*CREDITS)


def amounts(book, used, at=NOON, **more):
    _, lines = book.explain(used, at, **more)
    return {line.unit: (line.quantity, line.amount) for line in lines}


def test_cached_input_is_charged_once_at_its_own_price():
    rating = brief().rate(
        use(input_tokens=1_000_000, cache_read_input_tokens=800_000, output_tokens=200_000), NOON
    )
    assert (rating.state, rating.currency, rating.cost) == ("priced", "CNY", 480_000_000_000)
    assert (rating.cost_input, rating.cost_cache_read, rating.cost_output) == (
        100_000_000_000,
        80_000_000_000,
        300_000_000_000,
    )


@pytest.mark.parametrize(
    ("tokens", "price", "picos"),
    [
        (1, "0.5", 500_000),
        (7, "0.075", 525_000),
        (1_000_000, "3", 3_000_000_000_000),
        (1, "0.003625", 3_625),
        (0, "3", 0),
    ],
)
def test_a_cost_is_exact(tokens, price, picos):
    book = rate_book(rate("input", price))
    assert book.rate(use(input_tokens=tokens), NOON).cost == picos


def test_a_line_that_does_not_end_is_rounded_once_half_to_even():
    book = rate_book(rate("audio_seconds", "0.111", per=3_600))
    _, lines = book.explain(use(other_units=(("audio_seconds", 1),)), NOON)
    assert lines[-1].amount == 30_833_333  # 0.0000308333…


def test_the_parts_add_up_to_the_cost():
    book = rate_book(*CREDITS, rate("web_searches", "10", per=1_000))
    rating = book.rate(
        use(
            input_tokens=10,
            cache_read_input_tokens=3,
            cache_write_input_tokens=2,
            output_tokens=5,
            web_search_requests=2,
        ),
        NOON,
    )
    parts = (
        rating.cost_input,
        rating.cost_cache_read,
        rating.cost_cache_write,
        rating.cost_output,
        rating.cost_other,
    )
    # 5 fresh and 2 written at 0.5, since nothing prices writing; 3 cached; 5 out; 2 searches.
    assert parts == (3_500_000, 300_000, 0, 7_500_000, 20_000_000_000)
    assert rating.cost == 20_011_300_000


def test_the_price_in_force_when_the_request_started_counts():
    change = datetime(2026, 3, 1, tzinfo=UTC)
    book = rate_book(rate("input", "3", effective_to=change), rate("input", "2", start=change))
    before = book.rate(use(input_tokens=1_000_000), change - timedelta(microseconds=1))
    after = book.rate(use(input_tokens=1_000_000), change)
    assert (before.cost, after.cost) == (3_000_000_000_000, 2_000_000_000_000)


def test_before_the_first_price_there_is_none():
    rating = brief().rate(use(input_tokens=5, output_tokens=2), datetime(2025, 12, 31, tzinfo=UTC))
    assert (rating.state, rating.cost, rating.currency) == ("unpriced", None, "")
    assert rating.unpriced_tokens == 7


def test_a_band_is_entered_above_its_threshold_by_all_input_and_prices_the_whole_request():
    book = rate_book(rate("input", "1"), rate("input", "2", input_gt=200_000), rate("output", "4"))
    at_edge = book.rate(use(input_tokens=200_000, cache_read_input_tokens=150_000), NOON)
    above = book.rate(use(input_tokens=200_001, cache_read_input_tokens=150_000), NOON)
    assert (at_edge.cost, above.cost) == (200_000_000_000, 400_002_000_000)


def test_a_condition_beats_a_window_and_a_band():
    book = rate_book(
        rate("input", "1"),
        rate("input", "2", input_gt=100),
        rate("input", "0.5", conditions=(("processing", "batch"),)),
    )
    assert book.rate(use(input_tokens=1_000, processing="batch"), NOON).cost == 500_000_000
    assert book.rate(use(input_tokens=1_000, service_tier="batch"), NOON).cost == 500_000_000
    assert book.rate(use(input_tokens=1_000), NOON).cost == 2_000_000_000


def test_priority_beats_everything_else():
    book = rate_book(
        rate("input", "9", priority=1), rate("input", "1", conditions=(("speed", "fast"),))
    )
    assert book.rate(use(input_tokens=1_000_000, speed="fast"), NOON).cost == 9_000_000_000_000


@pytest.mark.parametrize(
    ("context", "state"),
    [
        ({"service_tier": "default"}, "priced"),
        ({"service_tier": "STANDARD"}, "priced"),
        ({"service_tier": "bogus"}, "assumed"),
        ({"processing": "batch"}, "assumed"),
        ({"speed": "fast"}, "assumed"),
        ({"region": "eu-west-1"}, "priced"),
    ],
)
def test_a_tier_that_nobody_prices_is_charged_at_standard_and_marked(context, state):
    rating = brief().rate(use(input_tokens=1_000_000, **context), NOON)
    assert (rating.state, rating.cost) == (state, 500_000_000_000)


def test_used_without_a_price_is_never_silently_free():
    rating, lines = brief().explain(use(input_tokens=10, web_search_requests=3), NOON)
    assert (rating.state, rating.cost, rating.cost_other) == ("partial", 5_000_000, None)
    assert (lines[-1].unit, lines[-1].quantity, lines[-1].amount) == ("web_searches", 3, None)


def test_an_unknown_unit_is_an_unpriced_line():
    rating, lines = brief().explain(use(input_tokens=10, other_units=(("widgets", 2),)), NOON)
    assert rating.state == "partial"
    assert [(line.unit, line.rate_id is None) for line in lines] == [
        ("input", False),
        ("widgets", True),
    ]


def test_sound_and_pictures_are_never_one_token():
    book = rate_book(
        rate("input", "1"), rate("input.audio", "4"), rate("input.image", "2"), rate("output", "1")
    )
    heard = use(input_tokens=100, input_audio_tokens=60, input_image_tokens=40)
    rating = book.rate(heard, NOON)
    assert (rating.state, rating.cost_input) == ("priced", 320_000_000)


def test_a_count_without_its_own_price_is_charged_with_what_holds_it():
    book = rate_book(rate("input", "1"), rate("output", "2"))
    used = use(
        input_tokens=10, cache_read_input_tokens=4, output_tokens=6, reasoning_output_tokens=5
    )
    assert amounts(book, used) == {"input": (10, 10_000_000), "output": (6, 12_000_000)}


def test_long_lived_cache_writes_are_charged_apart_from_the_others():
    book = rate_book(
        rate("input", "1"), rate("input.cache_write", "1.25"), rate("input.cache_write.1h", "2")
    )
    used = use(input_tokens=100, cache_write_5m_input_tokens=60, cache_write_1h_input_tokens=40)
    assert amounts(book, used) == {
        "input.cache_write": (60, 75_000_000),
        "input.cache_write.1h": (40, 80_000_000),
    }


def test_parts_that_exceed_their_whole_are_an_error():
    book = rate_book(rate("output", "2"), rate("output.reasoning", "3"), rate("output.citation", 1))
    used = use(output_tokens=10, reasoning_output_tokens=8, output_citation_tokens=3)
    with pytest.raises(BadCountError, match="output exceed it by 1"):
        book.rate(used, NOON)


def test_cached_audio_is_charged_once_where_its_own_price_is_known():
    book = rate_book(
        rate("input", "1"),
        rate("input.audio", "4"),
        rate("input.cache_read", "0.1"),
        rate("input.cache_read.audio", "0.4"),
    )
    used = use(
        input_tokens=100,
        input_audio_tokens=50,
        cache_read_input_tokens=40,
        cache_read_audio_tokens=30,
    )
    assert amounts(book, used) == {
        "input": (40, 40_000_000),
        "input.audio": (20, 80_000_000),
        "input.cache_read": (10, 1_000_000),
        "input.cache_read.audio": (30, 12_000_000),
    }


def test_tokens_in_two_priced_units_stay_with_the_dearer_one_and_are_marked():
    book = rate_book(rate("input", "1"), rate("input.audio", "4"), rate("input.cache_read", "0.1"))
    used = use(
        input_tokens=100,
        input_audio_tokens=50,
        cache_read_input_tokens=40,
        cache_read_audio_tokens=30,
    )
    assert amounts(book, used) == {
        "input": (40, 40_000_000),
        "input.audio": (50, 200_000_000),
        "input.cache_read": (10, 1_000_000),
    }
    assert book.rate(used, NOON).state == "assumed"


def test_input_that_was_not_told_makes_a_cost_partial():
    rating = brief().rate(use(input_tokens=None, output_tokens=1_000_000), NOON)
    assert (rating.state, rating.cost) == ("partial", 1_500_000_000_000)
    assert (rating.cost_input, rating.unpriced_tokens) == (None, 0)


@pytest.mark.parametrize(
    ("fields", "state", "cost"),
    [
        ({"status": "error", "input_tokens": None, "output_tokens": None}, "free", 0),
        ({"input_tokens": None, "output_tokens": None}, "unpriced", None),
        ({"billable": False, "input_tokens": 5}, "not_billable", 0),
        ({"gateway_cache_hit": True, "input_tokens": 5}, "not_billable", 0),
        ({"response_model": "nobody", "input_tokens": 5}, "unpriced", None),
        ({"response_model": "nobody"}, "free", 0),
        ({"provider": "other", "input_tokens": 5}, "unpriced", None),
    ],
)
def test_what_costs_nothing_and_what_has_no_price_are_told_apart(fields, state, cost):
    rating = brief().rate(use(**fields), NOON)
    assert (rating.state, rating.cost) == (state, cost)


def test_a_price_of_zero_is_a_price():
    rating = rate_book(rate("input", "0"), rate("output", "0")).rate(use(input_tokens=5), NOON)
    assert (rating.state, rating.cost, rating.currency) == ("free", 0, "CNY")


def test_the_first_book_that_prices_the_model_settles_the_currency():
    book = rate_book(
        shelves=[
            shelf(rate("input", "7"), id=1, rank=(1,), currency="CNY"),
            shelf(rate("output", "3", book_id=2), id=2, rank=(2,), currency="USD"),
            shelf(rate("output", "20", book_id=3), id=3, rank=(3,), currency="CNY"),
        ]
    )
    rating = book.rate(use(input_tokens=1_000_000, output_tokens=1_000_000), NOON)
    assert (rating.currency, rating.cost) == ("CNY", 27_000_000_000_000)


def test_a_project_has_its_own_book_first():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,), project_id=5),
            shelf(rate("input", "2", book_id=2), id=2, rank=(1,), code="all"),
        ]
    )
    costs = [
        book.rate(use(input_tokens=1_000_000), NOON, project_id=project).cost
        for project in (5, 6, None)
    ]
    assert costs == [1_000_000_000_000, 2_000_000_000_000, 2_000_000_000_000]


def test_a_named_book_is_asked_with_its_parents_alone():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,)),
            shelf(rate("input", "2", book_id=2), id=2, rank=(1,), code="deal", parent_id=3),
            shelf(rate("output", "3", book_id=3), id=3, rank=(2,), code="base"),
        ]
    )
    rating, _ = book.explain(use(input_tokens=10, output_tokens=10), NOON, book="deal")
    assert rating.cost == 50_000_000


def test_factors_multiply_across_stack_groups_and_the_best_of_each_applies():
    book = rate_book(
        rate("input", "10"),
        factor("1.2"),
        factor("0.5", "processing", conditions=(("processing", "batch"),)),
        factor("0.9", "margin", provider="testing"),
    )
    assert book.rate(use(input_tokens=1_000_000), NOON).cost == 9_000_000_000_000
    batch = book.rate(use(input_tokens=1_000_000, processing="batch"), NOON)
    assert (batch.state, batch.cost) == ("priced", 4_500_000_000_000)


def test_a_contract_may_be_a_discount_on_the_list():
    book = rate_book(
        shelves=[
            shelf(factor("0.8"), id=1, rank=(0,), code="contract"),
            shelf(rate("input", "10", book_id=2), id=2, rank=(2,), code="list"),
        ]
    )
    _, (line,) = book.explain(use(input_tokens=1_000_000), NOON)
    assert (line.unit_price, line.multiplier, line.amount) == (
        Decimal(10),
        Decimal("0.8"),
        8_000_000_000_000,
    )


def test_a_rate_for_any_model_yields_to_one_for_the_model():
    book = rate_book(rate("input", "1", model=""), rate("input", "2", model="opal"))
    assert book.rate(use(input_tokens=10), NOON).cost == 20_000_000
    assert book.rate(use(response_model="flint", input_tokens=10), NOON).cost == 10_000_000


def test_a_price_per_request_is_charged_to_requests_that_were_answered():
    book = rate_book(rate("requests", "5", per=1_000))
    assert book.rate(use(), NOON).cost == 5_000_000_000
    assert book.rate(use(), NOON, requests=0).cost == 0
    assert book.rate(use(status="error"), NOON).cost == 0


def test_an_amount_beyond_a_bigint_is_refused():
    book = rate_book(rate("input", "99999999"))
    with pytest.raises(BadAmountError):
        book.rate(use(input_tokens=999_999_999_999), NOON)
