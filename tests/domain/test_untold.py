"""What a bill says of what has no price, and of what the source did not tell."""

from decimal import Decimal

import pytest

from accounting.domain.errors import BadAmountError, BadCountError
from tests.books import NOON, rate, rate_book, use

MTOK = 1_000_000


def parts(rating):
    return (
        rating.cost_input,
        rating.cost_cache_read,
        rating.cost_cache_write,
        rating.cost_output,
        rating.cost_other,
    )


def test_only_parts_that_nothing_was_charged_for_are_unknown():
    book = rate_book(rate("input.audio", "1"), rate("input.cache_read", "0.1"))
    rating = book.rate(
        use(
            input_tokens=100,
            input_audio_tokens=40,
            cache_read_input_tokens=0,
            output_tokens=7,
            web_search_requests=2,
        ),
        NOON,
    )
    # Forty are charged as audio; sixty of the input, the output and the searches have no price.
    assert (rating.state, rating.cost, rating.unpriced_tokens) == ("partial", 40_000_000, 67)
    assert parts(rating) == (40_000_000, 0, 0, None, None)


def test_calls_without_a_price_are_no_tokens_without_one():
    rating = rate_book().rate(use(input_tokens=5, web_search_requests=2), NOON)
    assert (rating.state, rating.currency, rating.unpriced_tokens) == ("unpriced", "", 5)
    assert parts(rating) == (None, None, None, None, None)


@pytest.mark.parametrize(
    ("asked", "state"),
    [
        ({}, "free"),
        ({"billable": False, "input_tokens": 9}, "not_billable"),
        ({"gateway_cache_hit": True, "input_tokens": 9}, "not_billable"),
    ],
)
def test_what_costs_nothing_of_a_priced_model_costs_nothing_in_its_currency(asked, state):
    rating = rate_book(rate("input", "1")).rate(use(**asked), NOON)
    assert (rating.state, rating.currency, parts(rating)) == (state, "CNY", (0, 0, 0, 0, 0))
    assert rating.unpriced_tokens == 0


def test_nothing_used_of_a_model_without_prices_is_free_in_no_currency():
    rating = rate_book().rate(use(), NOON)
    assert (rating.state, rating.currency, rating.cost) == ("free", "", 0)


def test_a_request_without_input_is_in_no_band():
    book = rate_book(rate("output", "1"), rate("output", "2", input_gt=0))
    for told in (0, None):
        used = use(input_tokens=told, output_tokens=5)
        assert book.rate(used, NOON).cost_output == 5_000_000
        assert book.explain(used, NOON)[0].cost_output == 5_000_000


@pytest.mark.parametrize(
    ("told", "state", "costs"),
    [
        # Nothing was told but the searches: both totals have a price and are unknown.
        ({"input_tokens": None, "output_tokens": None}, "partial", (None, 0, 0, None, 10**10)),
        ({"output_tokens": None, "input_tokens": 5}, "partial", (5_000_000, 0, 0, None, 10**10)),
        ({"input_tokens": None, "output_tokens": 5}, "partial", (None, 0, 0, 10_000_000, 10**10)),
        # What has no output has none to tell.
        (
            {"input_tokens": 5, "output_tokens": None, "operation": "embeddings"},
            "priced",
            (5_000_000, 0, 0, 0, 10**10),
        ),
        (
            {"input_tokens": None, "output_tokens": None, "operation": "rerank"},
            "partial",
            (None, 0, 0, 0, 10**10),
        ),
        # A failed request of which nothing is told has used nothing but what is told.
        (
            {"input_tokens": None, "output_tokens": None, "status": "error"},
            "priced",
            (0, 0, 0, 0, 10**10),
        ),
        # One that failed and tells one total keeps the other from us.
        (
            {"input_tokens": 5, "output_tokens": None, "status": "error"},
            "partial",
            (5_000_000, 0, 0, None, 10**10),
        ),
        # One that goes on may still tell.
        (
            {"input_tokens": None, "output_tokens": None, "status": "pending"},
            "partial",
            (None, 0, 0, None, 10**10),
        ),
    ],
)
def test_a_total_that_has_a_price_and_is_not_told_makes_a_cost_partial(told, state, costs):
    book = rate_book(rate("input", "1"), rate("output", "2"), rate("web_searches", "10", per=1_000))
    rating = book.rate(use(web_search_requests=1, **told), NOON)
    assert (rating.state, parts(rating)) == (state, costs)


@pytest.mark.parametrize(
    ("free", "untold", "state"),
    [
        ("input", "input_tokens", "priced"),
        ("output", "output_tokens", "priced"),
        ("input", "output_tokens", "partial"),
        ("output", "input_tokens", "partial"),
    ],
)
def test_what_is_free_need_not_be_told(free, untold, state):
    book = rate_book(
        *(rate(unit, "0" if unit == free else "1") for unit in ("input", "output")),
        rate("web_searches", "10", per=1_000),
    )
    told = {"input_tokens": 5, "output_tokens": 5} | {untold: None}
    assert book.rate(use(web_search_requests=1, **told), NOON).state == state


@pytest.mark.parametrize(
    ("output", "operation"), [("0", "chat"), ("1", "embeddings"), ("1", "rerank")]
)
def test_an_empty_request_is_free_where_what_is_not_told_costs_nothing(output, operation):
    book = rate_book(rate("input", "1"), rate("output", output))
    rating = book.rate(use(input_tokens=0, output_tokens=None, operation=operation), NOON)
    assert (rating.state, rating.cost) == ("free", 0)


def test_of_nothing_told_and_nothing_charged_the_price_is_unknown():
    book = rate_book(rate("input", "0"), rate("output", "0"))
    rating = book.rate(use(input_tokens=None, output_tokens=None), NOON)
    assert (rating.state, rating.cost, rating.currency) == ("unpriced", None, "")


@pytest.mark.parametrize(
    ("told", "least"),
    [
        ({"cache_read_input_tokens": 3, "cache_write_input_tokens": 4}, 7),
        ({"cache_write_5m_input_tokens": 3, "cache_write_1h_input_tokens": 4}, 7),
        ({"cache_read_input_tokens": 7}, 7),
        ({"tool_use_input_tokens": 7, "cache_read_input_tokens": 2}, 7),
        ({"input_audio_tokens": 7, "tool_use_input_tokens": 6}, 7),
        ({"input_image_tokens": 7, "input_audio_tokens": 6}, 7),
    ],
)
@pytest.mark.parametrize("edge", [6, 7])
def test_unknown_input_is_at_least_what_its_parts_need(told, least, edge):
    # Two prices show it: all of the input costs 1 up to the edge and 2 above, whatever its kind.
    book = rate_book(rate("input", "1"), rate("input", "2", input_gt=edge))
    rating = book.rate(use(input_tokens=None, **told), NOON)
    assert rating.cost == least * (2_000_000 if least > edge else 1_000_000)


def test_a_price_so_small_that_a_token_costs_one_pico_is_a_price():
    book = rate_book(rate("input", "0.000001"))
    rating, (line,) = book.explain(use(input_tokens=5), NOON)
    assert (rating.state, rating.cost, line.per) == ("priced", 5, MTOK)


@pytest.mark.parametrize(("tokens", "picos"), [(1, 0), (3, 2), (4, 2), (5, 2), (7, 4)])
def test_half_picos_are_rounded_to_even(tokens, picos):
    book = rate_book(rate("input", "0.0000005"))
    assert book.rate(use(input_tokens=tokens), NOON).cost == picos


def test_a_line_tells_what_its_price_is_of():
    _, lines = rate_book(rate("web_searches", "10", per=1_000)).explain(
        use(web_search_requests=2), NOON
    )
    (line,) = lines
    assert (line.unit_price, line.per, line.multiplier) == (Decimal(10), 1_000, 1)


def test_lines_stand_in_the_order_of_the_units_and_unknown_ones_last_by_name():
    book = rate_book(
        rate("output", "1"),
        rate("input.cache_read", "1"),
        rate("input", "1"),
        rate("requests", "1"),
    )
    used = use(
        input_tokens=9,
        cache_read_input_tokens=4,
        output_tokens=5,
        web_search_requests=1,
        other_units=(("widgets", 1), ("gears", 1)),
    )
    _, lines = book.explain(used, NOON)
    assert [line.unit for line in lines] == [
        "input",
        "input.cache_read",
        "output",
        "web_searches",
        "requests",
        "gears",
        "widgets",
    ]


@pytest.mark.parametrize(("tokens", "fits"), [(2**63 - 1, True), (2**63, False)])
def test_a_line_holds_what_a_bigint_holds(tokens, fits):
    book = rate_book(rate("gears", "0.000001"))
    used = use(other_units=(("gears", tokens),))
    if fits:
        assert book.rate(used, NOON).cost == 9_223_372_036_854_775_807
    else:
        with pytest.raises(BadAmountError):
            book.rate(used, NOON)


def test_a_request_holds_what_a_bigint_holds_too():
    book = rate_book(rate("gears", "0.000001"), rate("nuts", "0.000001"))
    most = 2**62
    fits = use(other_units=(("gears", most), ("nuts", most - 1)))
    assert book.rate(fits, NOON).cost == 9_223_372_036_854_775_807
    with pytest.raises(BadAmountError) as refused:
        book.rate(use(other_units=(("gears", most), ("nuts", most))), NOON)
    assert str(refused.value) == (
        "a cost of 9223372036854775808 picos is more than one request may have"
    )


def test_requests_that_the_source_counts_are_charged_as_it_counts_them():
    book = rate_book(rate("requests", "5", per=1_000))
    assert book.rate(use(other_units=(("requests", 3),)), NOON).cost == 15_000_000_000


@pytest.mark.parametrize(
    ("status", "cost"), [("ok", 5), ("cancelled", 5), ("error", 0), ("pending", 0)]
)
def test_only_an_answered_or_cancelled_request_costs_its_price(status, cost):
    book = rate_book(rate("requests", "5", per=1))
    assert book.rate(use(status=status), NOON).cost == cost * 10**12


@pytest.mark.parametrize(
    ("told", "amounts"),
    [
        # 60 cached and 70 images of 100: 30 are both. No audio was used, though it has a price.
        (
            {"cache_read_input_tokens": 60, "input_image_tokens": 70},
            {"input.cache_read": 30, "input.image": 70},
        ),
        # 30 and 40 of 100 need not meet, so they do not.
        (
            {"cache_read_input_tokens": 30, "input_image_tokens": 40},
            {"input": 30, "input.cache_read": 30, "input.image": 40},
        ),
    ],
)
def test_as_few_tokens_as_the_counts_allow_are_in_two_kinds(told, amounts):
    book = rate_book(
        rate("input", "1"),
        rate("input.audio", "4"),
        rate("input.cache_read", "0.1"),
        rate("input.image", "2"),
    )
    rating, lines = book.explain(use(input_tokens=100, **told), NOON)
    found = {line.unit: line.quantity for line in lines}
    assert rating.state == "assumed"
    assert found == {unit: count for unit, count in amounts.items() if count}


def test_tokens_kept_for_an_hour_may_be_heard_too():
    book = rate_book(
        rate("input", "1"), rate("input.audio", "4"), rate("input.cache_write.1h", "2")
    )
    used = use(
        input_tokens=100,
        input_audio_tokens=70,
        cache_write_input_tokens=60,
        cache_write_1h_input_tokens=60,
    )
    _, lines = book.explain(used, NOON)
    assert [(line.unit, line.quantity) for line in lines] == [
        ("input.cache_write.1h", 30),
        ("input.audio", 70),
    ]


def test_the_dearer_kind_keeps_the_tokens_whatever_its_price_is_quoted_for():
    # A thousand at 0.2 are dearer than a million at 100.
    book = rate_book(
        rate("input", "1"), rate("input.audio", "0.2", per=1_000), rate("input.cache_read", "100")
    )
    used = use(input_tokens=10, input_audio_tokens=10, cache_read_input_tokens=10)
    _, lines = book.explain(used, NOON)
    assert [(line.unit, line.quantity) for line in lines] == [("input.audio", 10)]


def test_the_dearer_kind_is_the_one_whose_token_costs_more_however_small_both_are():
    # A pico a token is more than three twentieths of one.
    book = rate_book(
        rate("input", "1"),
        rate("input.audio", "0.000001"),
        rate("input.cache_read", "0.00000015"),
    )
    used = use(input_tokens=10, input_audio_tokens=10, cache_read_input_tokens=10)
    _, lines = book.explain(used, NOON)
    assert [(line.unit, line.quantity) for line in lines] == [("input.audio", 10)]


def test_answers_may_be_reasoned_and_spoken():
    book = rate_book(rate("output", "1"), rate("output.reasoning", "3"), rate("output.audio", "4"))
    used = use(output_tokens=10, reasoning_output_tokens=8, output_audio_tokens=6)
    rating, lines = book.explain(used, NOON)
    assert [(line.unit, line.quantity) for line in lines] == [
        ("output.reasoning", 4),
        ("output.audio", 6),
    ]
    assert rating.state == "assumed"
    # While the answer's length is unknown, nothing says that any of it is both.
    told = use(output_tokens=None, reasoning_output_tokens=8, output_audio_tokens=6)
    assert [line.quantity for line in book.explain(told, NOON)[1]] == [8, 6]


def test_what_is_told_of_both_is_believed():
    book = rate_book(
        rate("input", "1"),
        rate("input.audio", "4"),
        rate("input.cache_read", "0.1"),
    )
    used = use(
        input_tokens=100,
        input_audio_tokens=50,
        cache_read_input_tokens=60,
        cache_read_audio_tokens=20,
    )
    _, lines = book.explain(used, NOON)
    assert [(line.unit, line.quantity) for line in lines] == [
        ("input", 10),
        ("input.cache_read", 40),
        ("input.audio", 50),
    ]


def test_units_inside_each_other_do_not_cross():
    book = rate_book(
        rate("input", "1"), rate("input.cache_read", "0.1"), rate("input.cache_read.audio", "0.4")
    )
    assert book.plan(use(), NOON, 0).crossing == ()


def test_the_message_says_which_whole_is_exceeded_and_by_how_much():
    book = rate_book(rate("input", "1"), rate("input.cache_read", "0.1"))
    with pytest.raises(BadCountError) as refused:
        book.explain(use(input_tokens=5, cache_read_input_tokens=7), NOON)
    assert str(refused.value) == "the parts of input exceed it by 2"
