"""The short way of rating gives what the long one gives, for whatever counts."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.domain.errors import DomainError
from accounting.domain.outcomes import rated
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import TokenCounts
from accounting.domain.usage import Use
from tests.books import NOON, rate, rate_book

UNITS = (
    "input",
    "input.cache_read",
    "input.cache_write",
    "input.cache_write.1h",
    "input.audio",
    "output",
    "output.reasoning",
    "web_searches",
    "requests",
)
COUNTS = st.one_of(st.none(), st.integers(0, 3), st.just(10**11))


@st.composite
def books(draw):
    units = draw(st.sets(st.sampled_from(UNITS), min_size=1))
    prices = st.sampled_from(["0", "0.5", "3", "0.0000001"])
    return rate_book(*(rate(unit, draw(prices)) for unit in sorted(units)))


USES = st.builds(
    Use,
    provider=st.just("testing"),
    response_model=st.sampled_from(["opal", "unknown"]),
    counts=st.builds(
        TokenCounts,
        input_tokens=COUNTS,
        cache_read_input_tokens=COUNTS,
        cache_write_input_tokens=COUNTS,
        cache_write_1h_input_tokens=COUNTS,
        input_audio_tokens=COUNTS,
        output_tokens=COUNTS,
        reasoning_output_tokens=COUNTS,
        web_search_requests=COUNTS,
        other_units=st.sampled_from([(), (("input_characters", 5),)]),
    ),
    service_tier=st.sampled_from(["", "flex"]),
    status=st.sampled_from(["ok", "error"]),
    gateway_cache_hit=st.booleans(),
)


def told(rate_it):
    try:
        return rate_it()
    except DomainError as error:
        return type(error)


@given(books(), USES)
def test_both_ways_give_the_same(book: RateBook, used):
    opened = book._opened(used, ("project", None))
    long_way = partial(rated, partial(opened.card.plan, NOON), used, opened.names, 1)
    assert told(lambda: book.rate(used, NOON)) == told(long_way)


@pytest.mark.parametrize(("unit", "is_short"), [("input.cache_read", True), ("requests", False)])
def test_only_plain_prices_go_the_short_way(unit, is_short):
    book = rate_book(rate(unit, "1"), rate("input", "1"), rate("output", "1"))
    opened = book._opened(Use(provider="testing", response_model="opal"), ("project", None))
    assert (opened.card.plan(NOON, 0).steps is not None) is is_short
