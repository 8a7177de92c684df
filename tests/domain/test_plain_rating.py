"""The short way of rating gives what the long one gives, for whatever counts."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.errors import BadCountError, DomainError
from accounting.domain.outcomes import plainly_rated, rated
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import Use
from tests.books import NOON, rate, rate_book, use

UNITS = (
    "input",
    "input.cache_read",
    "input.cache_write",
    "input.cache_write.1h",
    "input.audio",
    "output",
    "output.reasoning",
)
ASIDE = ((), (), ("web_searches",), ("requests",))
COUNTS = st.one_of(st.none(), st.integers(0, 3))
WHOLES = st.one_of(st.none(), st.integers(0, 20), st.just(10**11))


@st.composite
def books(draw):
    units = {*draw(st.sets(st.sampled_from(UNITS))), *draw(st.sampled_from(ASIDE))}
    if draw(st.booleans()):
        units |= {"input", "output"}  # without a price for both nothing goes the short way
    prices = st.sampled_from(["0", "0.5", "3", draw(st.sampled_from(["7", "0.0000001"]))])
    return rate_book(*(rate(unit, draw(prices)) for unit in sorted(units)))


USES = st.builds(
    Use,
    provider=st.just("testing"),
    response_model=st.sampled_from(["opal", "unknown"]),
    counts=st.builds(
        TokenCounts,
        input_tokens=WHOLES,
        cache_read_input_tokens=COUNTS,
        cache_write_input_tokens=COUNTS,
        cache_write_1h_input_tokens=COUNTS,
        input_audio_tokens=COUNTS,
        output_tokens=WHOLES,
        reasoning_output_tokens=COUNTS,
        cache_write_5m_input_tokens=COUNTS,
        web_search_requests=st.sampled_from([None, None, 0, 2]),
        other_units=st.sampled_from([(), (), (("input_characters", 5),)]),
    ),
    service_tier=st.sampled_from(["", "flex"]),
    status=st.sampled_from(["ok", "error"]),
    gateway_cache_hit=st.sampled_from([False, False, False, True]),
    billable=st.sampled_from([True, True, True, False]),
)


def told(rate_it):
    try:
        return rate_it()
    except DomainError as error:
        return type(error)


@given(books(), USES)
def test_both_ways_give_the_same(book: RateBook, used):
    opened = book._opened(used, ("", None))
    long_way = partial(rated, partial(opened.card.plan, NOON), used, opened.names, 1)
    assert told(lambda: book.rate(used, NOON)) == told(long_way)


@pytest.mark.parametrize(("unit", "is_short"), [("input.cache_read", True), ("requests", False)])
def test_only_plain_prices_go_the_short_way(unit, is_short):
    book = rate_book(rate(unit, "1"), rate("input", "1"), rate("output", "1"))
    opened = book._opened(Use(provider="testing", response_model="opal"), ("", None))
    assert (opened.card.plan(NOON, 0).steps is not None) is is_short


def test_the_short_way_charges_every_kind_at_its_own_price():
    book = rate_book(
        rate("input", "1"),
        rate("input.audio", "7"),
        rate("input.cache_read", "0.1"),
        rate("input.cache_write", "1.25"),
        rate("input.cache_write.1h", "2"),
        rate("output", "5"),
        rate("output.reasoning", "6"),
    )
    used = use(
        input_tokens=100,
        cache_read_input_tokens=40,
        cache_write_5m_input_tokens=20,
        cache_write_1h_input_tokens=10,
        output_tokens=30,
        reasoning_output_tokens=8,
    )
    rating = book.rate(used, NOON)
    assert (rating.state, rating.currency, rating.cost) == ("priced", "CNY", 237_000_000)
    # 30 fresh; 40 read; 20 written for 5 minutes and 10 for an hour; 22 and 8 answered.
    assert (rating.cost_input, rating.cost_cache_read) == (30_000_000, 4_000_000)
    assert (rating.cost_cache_write, rating.cost_output) == (45_000_000, 158_000_000)
    heard = use(input_tokens=100, input_audio_tokens=10, output_tokens=1, speed="fast")
    rating = book.rate(heard, NOON)
    assert (rating.state, rating.cost_input, rating.cost_output) == (
        "assumed",
        160_000_000,
        5_000_000,
    )


def plain_book():
    return rate_book(
        rate("input", "1"),
        rate("input.cache_read", "1"),
        rate("input.cache_write", "1.25"),
        rate("output", "5"),
    )


def test_an_ordinary_request_goes_the_short_way():
    plan = plain_book().plan(use(), NOON, 100)
    ordinary = use(input_tokens=100, output_tokens=1)
    rating = plainly_rated(plan, plan.steps, ordinary, ("testing", "opal"))
    assert (rating.state, rating.cost, rating.model) == ("priced", 105_000_000, "opal")


def test_writes_told_by_how_long_they_are_kept_are_charged_as_writes():
    told = use(input_tokens=100, cache_write_5m_input_tokens=20, output_tokens=1)
    rating = plain_book().rate(told, NOON)
    assert (rating.cost_input, rating.cost_cache_write) == (80_000_000, 25_000_000)
    assert (rating.cost_cache_read, rating.cost_output, rating.cost_other) == (0, 5_000_000, 0)


def test_an_answer_whose_length_is_not_told_is_not_free():
    rating = plain_book().rate(use(input_tokens=5, output_tokens=None), NOON)
    assert (rating.state, rating.cost, rating.cost_output) == ("partial", 5_000_000, None)


def test_more_read_than_was_sent_is_an_error():
    with pytest.raises(BadCountError, match="input exceed it by 2"):
        plain_book().rate(use(input_tokens=5, cache_read_input_tokens=7, output_tokens=9), NOON)


@pytest.mark.parametrize("aside", [{"other_units": (("gears", 2),)}, {"web_search_requests": 2}])
def test_what_has_no_price_beside_plain_prices_is_not_passed_over(aside):
    rating = plain_book().rate(use(input_tokens=100, output_tokens=1, **aside), NOON)
    assert (rating.state, rating.cost, rating.cost_other) == ("partial", 105_000_000, None)


def test_a_part_whose_whole_is_not_told_is_charged():
    book = rate_book(
        rate("input", "1"),
        rate("input.cache_read", "0.1"),
        rate("input.cache_read.audio", "0.4"),
        rate("output", "5"),
    )
    rating = book.rate(use(input_tokens=100, cache_read_audio_tokens=10, output_tokens=1), NOON)
    assert (rating.state, rating.cost_output) == ("priced", 5_000_000)
    assert (rating.cost_input, rating.cost_cache_read) == (90_000_000, 4_000_000)
