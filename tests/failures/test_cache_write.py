"""What is written to a cache is priced by how long it is kept."""

from dataclasses import replace
from decimal import Decimal

import pytest

from tests.books import rate_book, shelf
from tests.failures.logs import Case, books, chat, check, dollars, event, message, read
from tests.failures.prices import BOOK, ROWS, rows


def kept(five, hour):
    split = {"ephemeral_5m_input_tokens": five, "ephemeral_1h_input_tokens": hour}
    return message(cache_creation_input_tokens=five + hour, cache_creation=split)


CASES = [
    Case(
        id="B240 an hour costs more than five minutes",
        format="anthropic_messages",
        log=[kept(600_000, 400_000)],
        cost="4.65",
        totals=(1, 1_000_000, 0, 1_000_000, 0),
    ),
    Case(
        id="B241 everything kept for an hour",
        format="anthropic_messages",
        log=[kept(0, 100_000)],
        cost="0.6",
        totals=(1, 100_000, 0, 100_000, 0),
    ),
    Case(
        id="B243 the total contains what is kept for an hour",
        format="native",
        log=[
            event(
                input_tokens=1_000,
                cache_write_input_tokens=1_000,
                cache_write_1h_input_tokens=400,
                output_tokens=0,
            )
        ],
        cost="0.00465",
        totals=(1, 1_000, None, 1_000, 0),
    ),
    Case(
        id="B245 what an hour costs is what can be saved",
        format="anthropic_messages",
        log=[kept(0, 100_000)],
        cost="0.6",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_writes_are_priced_by_how_long_they_are_kept(case):
    check(case)


def test_b245_a_write_without_its_split_has_the_price_of_five_minutes_and_an_unknown_split():
    write = event(input_tokens=100_000, cache_write_input_tokens=100_000, output_tokens=0)
    found = read("native", [write])
    (record,) = found.events.values()
    assert dollars(found) == "0.375"
    assert record.use.counts.cache_write_5m_input_tokens is None
    assert record.use.counts.cache_write_1h_input_tokens is None


def test_b246_the_price_of_a_contract_goes_before_the_lists():
    contract = shelf(*rows("opal", {"input.cache_write": "1.5"}), currency="USD", id=2, code="deal")
    listed = shelf(*ROWS, currency="USD", rank=(2,))
    book = rate_book(shelves=[contract, listed], currency="USD")
    found = read("anthropic_messages", [message(cache_creation_input_tokens=1_000_000)])
    assert (dollars(found, book), dollars(found)) == ("1.5", "3.75")


#: Logs that use every kind of token which the table prices.
EVERYTHING = [
    *CASES,
    Case(
        id="fresh, read and answered",
        format="anthropic_messages",
        log=[
            message(name, id=f"msg_{name}", fresh=9, output=7, cache_read_input_tokens=5)
            for name in ("opal", "gift")
        ],
    ),
    *(
        Case(
            id=f"{name} at {prompt}",
            format="openai_chat",
            log=[chat(name, prompt=prompt, output=7, cached_tokens=5)],
        )
        for name in ("flint", "flint-mini", "river")
        for prompt in (1_000, 300_000)
    ),
    Case(
        id="pictures and sounds",
        format="native",
        log=[
            event(
                "prism",
                id=f"{name}-{kind}",
                input_tokens=100,
                output_tokens=100,
                **{f"{name}_{kind}_tokens": 40},
            )
            for name in ("input", "output")
            for kind in ("image", "audio")
        ]
        + [
            event("prism", input_tokens=100, output_tokens=1, cache_read_input_tokens=40),
            event(
                "prism",
                input_tokens=100,
                output_tokens=1,
                cache_read_input_tokens=40,
                input_image_tokens=40,
                other_units={"input.cache_read.image": 40},
            ),
        ],
    ),
]


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row.model} {row.unit} {row.input_gt or ''}"
)
def test_b241_every_price_of_the_table_changes_some_cost(row):
    dearer = [
        replace(each, price=each.price + Decimal(1)) if each is row else each for each in ROWS
    ]
    book = rate_book(shelves=[shelf(*dearer, currency="USD")], currency="USD")
    assert any(dollars(found, book) != dollars(found, BOOK) for found in map(books, EVERYTHING))
