"""Which row of which book prices a unit: the rule of the books, one clause at a time."""

from datetime import UTC, datetime, time, timedelta
from decimal import Decimal

import pytest

from accounting.domain import cards
from accounting.domain.rates import BEGINNING, Window, conditions_of
from accounting.domain.shelves import Alias
from tests.books import NOON, START, factor, rate, rate_book, shelf, use

MTOK = 1_000_000
FLEX = (("service_tier", "flex"),)
MORNING = Window(zone="UTC", start=time(8), end=time(12))
MIDDAY = Window(zone="UTC", start=time(11, 55), end=time(12, 5))


def price(book, at=NOON, *, input_tokens=MTOK, **asked):
    """What a million tokens of input cost, in whole units."""
    cost = book.rate(use(input_tokens=input_tokens, **asked), at).cost
    return None if cost is None else Decimal(cost) / 10**12


@pytest.mark.parametrize(
    ("lesser", "greater"),
    [
        # In the order of the rule: each beats whatever stands below it.
        ({"conditions": FLEX}, {"priority": 1}),
        ({"model": "", "conditions": FLEX}, {}),
        ({"provider": "", "model": "", "conditions": FLEX}, {"model": ""}),
        ({"model": "", "conditions": FLEX}, {"provider": ""}),
        ({"window": MORNING}, {"conditions": FLEX}),
        ({"input_gt": 0}, {"window": Window(zone="UTC", start=time(0), end=time(0))}),
        ({"input_gt": 5}, {"input_gt": 6}),
        ({}, {"input_gt": 0}),
        ({}, {"start": NOON}),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_the_greater_row_applies_in_whatever_order_they_stand(lesser, greater, order):
    rows = [rate("input", "1", **lesser), rate("input", "2", **greater)][::order]
    assert price(rate_book(*rows), service_tier="flex") == 2


def test_of_two_equal_rows_the_one_written_first_applies():
    first, second = rate("input", "1"), rate("input", "2")
    assert price(rate_book(first, second)) == price(rate_book(second, first)) == 1


@pytest.mark.parametrize(("tokens", "each"), [(5, 1), (6, 2), (9, 2), (10, 3)])
def test_bands_begin_above_their_thresholds(tokens, each):
    book = rate_book(
        rate("input", "1"), rate("input", "2", input_gt=5), rate("input", "3", input_gt=9)
    )
    assert price(book, input_tokens=tokens) == Decimal(each * tokens) / MTOK
    # The same again, now that its plans are made.
    assert price(book, input_tokens=tokens) == Decimal(each * tokens) / MTOK


def test_a_price_holds_from_its_first_instant_to_before_its_end():
    end = NOON + timedelta(days=1)
    book = rate_book(rate("input", "1", start=NOON, effective_to=end))
    instant = timedelta(microseconds=1)
    found = [price(book, at) for at in (NOON - instant, NOON, end - instant, end)]
    assert found == [None, 1, 1, None]


def test_a_price_that_is_superseded_for_a_while_comes_back():
    march, april = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 4))
    book = rate_book(rate("input", "3"), rate("input", "2", start=march, effective_to=april))
    found = [price(book, at) for at in (START, march, april, march, START)]
    assert found == [3, 2, 3, 2, 3]


def test_factors_have_their_times_bands_and_windows_too():
    book = rate_book(
        rate("input", "10"),
        factor("0.5", "long", input_gt=MTOK),
        factor("0.9", "morning", window=MORNING),
    )
    assert price(book, NOON) == 10
    assert price(book, NOON.replace(hour=9)) == 9
    assert price(book, NOON, input_tokens=2 * MTOK) == 10  # twice as many at half the price
    assert price(book, NOON.replace(hour=9), input_tokens=2 * MTOK) == 9


def test_a_factor_may_be_for_a_unit_and_its_parts():
    book = rate_book(
        rate("input", "10"), rate("input.cache_read", "1"), rate("output", "20"),
        factor("0.5", unit="input"),
    )  # fmt: skip
    used = use(input_tokens=MTOK, cache_read_input_tokens=400_000, output_tokens=MTOK)
    _, lines = book.explain(used, NOON)
    assert [(line.unit, line.multiplier, line.amount) for line in lines] == [
        ("input", Decimal("0.5"), 3 * 10**12),
        ("input.cache_read", Decimal("0.5"), 2 * 10**11),
        ("output", 1, 20 * 10**12),
    ]


def test_the_factor_of_the_nearer_book_applies_whatever_its_rank():
    book = rate_book(
        shelves=[
            shelf(factor("0.8"), id=1, rank=(0,), code="contract"),
            shelf(
                rate("input", "10", book_id=2),
                factor("0.5", book_id=2, priority=9),
                id=2,
                rank=(1,),
                code="list",
            ),
        ]
    )
    assert price(book) == 8


def test_a_factor_of_a_book_behind_the_one_that_prices_says_nothing():
    book = rate_book(
        shelves=[
            shelf(rate("input", "10"), id=1, rank=(0,)),
            shelf(factor("0.5", book_id=2), id=2, rank=(1,), code="list"),
        ]
    )
    assert price(book) == 10


def test_factors_multiply_without_rounding():
    small = "0.00000000000000000001"
    book = rate_book(
        rate("input", "100000000000000000000.000001"),
        factor(small, "one"),
        factor("1.000000000000000000001", "two"),
    )
    _, (line,) = book.explain(use(input_tokens=1), NOON)
    assert line.multiplier == Decimal("0.00000000000000000001000000000000000000001")


@pytest.mark.parametrize(
    ("at", "each"),
    [
        ("2026-03-10T11:54:59.999999Z", 1),
        ("2026-03-10T11:55:00Z", 2),
        ("2026-03-10T12:04:59.999999Z", 2),
        ("2026-03-10T12:05:00Z", 1),
        ("2026-03-10T12:14:00Z", 1),
    ],
)
def test_a_window_may_open_between_quarters_of_an_hour(at, each):
    book = rate_book(rate("input", "1"), rate("input", "2", window=MIDDAY))
    asked = [NOON, datetime.fromisoformat(at), NOON]
    assert [price(book, moment) for moment in asked] == [2, each, 2]


def test_two_windows_are_told_apart():
    afternoon = Window(zone="UTC", start=time(10), end=time(14))
    book = rate_book(
        rate("input", "1"),
        rate("input", "2", window=MORNING),
        rate("input", "3", window=afternoon, priority=1),
    )
    hours = (7, 8, 10, 12, 14, 8, 7)
    assert [price(book, NOON.replace(hour=hour)) for hour in hours] == [1, 2, 3, 3, 1, 2, 1]


def test_windows_are_looked_up_again_when_there_are_too_many_moments(monkeypatch):
    monkeypatch.setattr(cards, "QUARTERS_KEPT", 2)
    book = rate_book(rate("input", "1"), rate("input", "2", window=MORNING))
    hours = (7, 8, 9, 12, 8, 7)
    assert [price(book, NOON.replace(hour=hour)) for hour in hours] == [1, 2, 2, 1, 2, 1]


@pytest.mark.parametrize(
    ("context", "state"),
    [
        # The ordinary way of serving needs no row.
        *(
            ({"service_tier": tier}, "priced")
            for tier in ("auto", "on_demand", "ondemand", "normal")
        ),
        *(({"processing": one}, "priced") for one in ("realtime", "sync", "online", "interactive")),
        *(({"speed": speed}, "priced") for speed in ("standard", "default", "normal")),
        ({"route": "direct"}, "priced"),
        # A row that knows one condition does not know the others.
        ({"service_tier": "flex"}, "priced"),
        ({"service_tier": "flex", "speed": "fast"}, "assumed"),
        ({"service_tier": "priority"}, "assumed"),
        ({"speed": "flex"}, "assumed"),
    ],
)
def test_a_condition_out_of_the_ordinary_that_no_row_knows_is_assumed_at_standard(context, state):
    book = rate_book(rate("input", "1"), rate("input", "2", conditions=FLEX))
    assert book.rate(use(input_tokens=5, **context), NOON).state == state


def test_a_factor_may_know_the_condition_too():
    book = rate_book(rate("input", "1"), factor("0.5", conditions=FLEX))
    assert book.rate(use(input_tokens=5, service_tier="flex"), NOON).state == "priced"


@pytest.mark.parametrize("condition", ["processing", "service_tier", "speed", "region", "route"])
def test_a_row_may_ask_for_any_of_the_conditions(condition):
    book = rate_book(rate("input", "1"), rate("input", "2", conditions=((condition, "special"),)))
    assert price(book, **{condition: " Special "}) == 2
    assert price(book) == 1


def test_a_tier_called_batch_is_how_a_request_was_processed_unless_that_is_told():
    book = rate_book(
        rate("input", "1"),
        rate("input", "2", conditions=(("processing", "batch"),)),
        rate("input", "3", conditions=(("processing", "sync"),)),
    )
    assert price(book, service_tier=" Batch ") == 2
    assert book.rate(use(input_tokens=5, service_tier="batch"), NOON).state == "priced"
    assert price(book, service_tier="batch", processing="sync") == 3


def test_conditions_have_one_order_and_case_and_leave_out_what_says_nothing():
    pairs = {"speed": " Fast ", "region": "EU", "route": " ", "processing": ""}
    assert conditions_of(pairs) == (("region", "eu"), ("speed", "fast"))


def test_a_book_in_another_currency_than_the_first_is_passed_over():
    book = rate_book(
        shelves=[
            shelf(rate("output", "3"), id=1, rank=(0,), currency="USD"),
            shelf(rate("input", "7", book_id=2), id=2, rank=(1,), currency="CNY"),
        ]
    )
    rating = book.rate(use(input_tokens=MTOK, output_tokens=MTOK), NOON)
    assert (rating.state, rating.currency, rating.cost) == ("partial", "USD", 3 * 10**12)


def test_a_book_that_prices_nothing_of_the_model_settles_no_currency():
    book = rate_book(
        shelves=[
            shelf(rate("input", "9", model="jade"), factor("2"), id=1, currency="USD", rank=(0,)),
            shelf(rate("input", "7", book_id=2), id=2, rank=(1,), currency="CNY"),
        ]
    )
    rating = book.rate(use(input_tokens=MTOK), NOON)
    assert (rating.currency, rating.cost) == ("CNY", 14 * 10**12)


def test_before_everything_there_is_no_price_and_no_error():
    assert price(rate_book(rate("input", "1")), BEGINNING) is None
    assert price(rate_book(), NOON) is None


def test_chains_of_parents_may_be_long_shared_and_even_circular():
    def book(number, parent, unit):
        rows = [rate(unit, str(number), book_id=number)]
        return shelf(*rows, id=number, rank=(number,), code=f"b{number}", parent_id=parent)

    book = rate_book(
        shelves=[
            book(1, 3, "output"),
            book(2, 9, "input.cache_read"),
            book(3, 4, "input"),
            book(4, 1, "input.cache_write"),
        ]
    )
    used = use(
        input_tokens=3_000_000,
        cache_read_input_tokens=MTOK,
        cache_write_input_tokens=MTOK,
        output_tokens=MTOK,
    )
    # A parent that is not there ends the chain.
    _, lines = book.explain(used, NOON, book="b2")
    assert [line.amount for line in lines if line.amount] == [2 * 10**12]
    _, lines = book.explain(used, NOON, book="b1")
    assert [(line.unit, line.amount) for line in lines] == [
        ("input", 6 * 10**12),
        ("input.cache_write", 4 * 10**12),
        ("output", 10**12),
    ]
    _, lines = book.explain(used, NOON)
    assert [line.amount for line in lines] == [3 * 10**12, 2 * 10**12, 4 * 10**12, 10**12]


def test_parents_are_asked_right_after_their_child():
    def book(number, parent=None):
        rows = [rate("input", str(number), book_id=number, model="opal" if number > 1 else "jade")]
        return shelf(*rows, id=number, rank=(number,), code=f"b{number}", parent_id=parent)

    assert price(rate_book(shelves=[book(1, 3), book(2), book(3)])) == 3


def test_of_two_books_with_one_code_the_first_is_meant():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,), code="deal"),
            shelf(rate("output", "2", book_id=2), id=2, rank=(1,), code="deal"),
        ]
    )
    rating, _ = book.explain(use(input_tokens=MTOK, output_tokens=MTOK), NOON, book="deal")
    assert (rating.state, rating.cost) == ("partial", 10**12)
    assert (book.has_book("deal"), book.has_book("dael")) == (True, False)


def test_explaining_asks_the_books_of_the_project_too():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,), project_id=5),
            shelf(rate("input", "2", book_id=2), id=2, rank=(1,), code="all"),
        ]
    )
    used = use(input_tokens=MTOK)
    costs = [book.explain(used, NOON, project_id=project)[0].cost for project in (5, 6, None)]
    assert costs == [10**12, 2 * 10**12, 2 * 10**12]


def test_a_book_that_a_project_asks_for_is_one_it_may_use():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,), code="deal", project_id=5),
            shelf(rate("input", "2", book_id=2), id=2, rank=(1,), code="deal"),
            shelf(rate("input", "3", book_id=3), id=3, rank=(2,), code="theirs", project_id=5),
        ]
    )
    used = use(input_tokens=MTOK)
    costs = [
        book.explain(used, NOON, project_id=project, book="deal")[0].cost
        for project in (5, 6, None)
    ]
    assert costs == [10**12, 2 * 10**12, 10**12]
    assert [book.has_book("theirs", project_id=one) for one in (5, 6, None)] == [True, False, True]
    assert book.explain(used, NOON, project_id=6, book="theirs")[0].cost is None


def test_a_plan_is_of_the_project_s_own_books_first():
    book = rate_book(
        shelves=[
            shelf(rate("input", "1"), id=1, rank=(0,), project_id=5),
            shelf(rate("input", "2", book_id=2), id=2, rank=(1,)),
        ]
    )
    plans = [book.plan(use(), NOON, 1, project_id=project) for project in (5, 6, None)]
    assert [plan.prices["input"].tiers[0].price for plan in plans] == [1, 2, 2]


def test_explaining_charges_one_request_unless_told_otherwise():
    book = rate_book(rate("requests", "5", per=1_000))
    assert book.explain(use(), NOON)[0].cost == 5_000_000_000
    assert book.explain(use(), NOON, requests=0)[0].cost == 0
    assert book.explain(use(), NOON, requests=3)[0].cost == 15_000_000_000


def test_a_plan_may_be_asked_for_without_a_request():
    book = rate_book(rate("input", "1"), rate("input", "2", input_gt=5))
    prices = [book.plan(use(), NOON, tokens).prices["input"].tiers[0].price for tokens in (5, 6)]
    assert prices == [1, 2]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"provider": "Bedrock", "response_model": " Opal "}, ("aws", "Opal")),
        ({"provider": "Testing", "response_model": "OPAL"}, ("Testing", "opal")),
        ({"provider": "", "response_model": "opal"}, ("testing", "opal")),
        ({"provider": "", "response_model": "jade"}, ("", "jade")),
        ({"provider": "", "response_model": "openai/jade"}, ("openai", "openai/jade")),
        ({"provider": "aws", "response_model": "pebble"}, ("aws", "opal")),
    ],
)
def test_a_priced_model_is_shown_under_its_listed_name(asked, names):
    alias = Alias(provider="aws", alias="pebble", model_provider="testing", model="opal")
    book = rate_book(shelves=[shelf(rate("input", "1"), aliases=[alias])])
    rating = book.rate(use(input_tokens=1, **asked), NOON)
    assert (rating.provider, rating.model) == names


def test_a_price_for_any_provider_is_found_by_every_provider_and_by_none():
    book = rate_book(rate("input", "1", provider=""), rate("output", "2", provider="", model=""))
    for provider in ("testing", "somebody", ""):
        rating = book.rate(use(provider=provider, input_tokens=MTOK, output_tokens=MTOK), NOON)
        assert (rating.cost, rating.model) == (3 * 10**12, "opal")
    other = book.rate(use(response_model="jade", output_tokens=MTOK), NOON)
    assert other.cost == 2 * 10**12


def test_a_providers_own_listing_of_a_name_comes_before_one_for_any_provider():
    book = rate_book(rate("input", "1", provider=""), rate("input", "2", provider="testing"))
    assert price(book) == 2
    assert price(book, provider="other") == 1


def test_a_price_for_everything_a_provider_sells_is_not_for_others():
    book = rate_book(rate("input", "1", model=""))
    assert price(book, response_model="jade") == 1
    assert price(book, response_model="jade", provider="other") is None
    assert price(book, response_model="jade", provider="") is None


@pytest.mark.parametrize(
    ("alias", "found"),
    [
        (Alias(provider="testing", alias="pebble", model_provider="testing", model="opal"), 1),
        (Alias(provider="TESTING", alias="pebble", model_provider="Testing", model="opal"), 1),
        # Of a model that the book does not list, or by a provider that is not listed: nothing.
        (Alias(provider="testing", alias="pebble", model_provider="testing", model="jade"), None),
        (Alias(provider="testing", alias="pebble", model_provider="other", model="opal"), None),
        (Alias(provider="other", alias="pebble", model_provider="testing", model="opal"), None),
    ],
)
def test_an_alias_is_another_name_of_a_listed_model(alias, found):
    book = rate_book(shelves=[shelf(rate("input", "1"), aliases=[alias])])
    assert price(book, response_model="Pebble") == found


def test_an_alias_of_nothing_that_is_listed_hides_none_that_is():
    named = {"provider": "testing", "model_provider": "testing"}
    aliases = [
        Alias(alias="shard", model="jade", **named),
        Alias(alias="pebble", model="opal", **named),
    ]
    book = rate_book(shelves=[shelf(rate("input", "1"), aliases=aliases)])
    assert price(book, response_model="pebble") == 1
    assert price(book, response_model="shard") is None


def test_names_of_a_book_are_found_again_and_again():
    book = rate_book(rate("input", "1"), rate("input", "2", model="flint"))
    asked = ["opal", "flint", "Opal", "flint", "opal"]
    assert [price(book, response_model=model) for model in asked] == [1, 2, 1, 2, 1]
