"""How a request was served is part of its price; what nobody prices is said, not assumed away."""

import json

import pytest

from accounting.models import Organization
from accounting.services.pricebooks import import_table
from tests.books import rate_book, shelf
from tests.failures.pricing import BATCH, FLEX, MILLION, ROWS, cost, rows, state

HALF = (("processing", "batch"),)
BOOK = rate_book(
    shelves=[
        shelf(
            *ROWS,
            *rows(
                "flint", {"input": "1.25", "output": "5"}, conditions=(("service_tier", "flex"),)
            ),
            *rows("flint", {"input": "1.25", "output": "5"}, conditions=HALF),
            *rows("flint", {"input.cache_read": "0.625"}, conditions=HALF),
            *rows("river", {"input": "0.625", "output": "5"}, conditions=HALF),
            *rows("river", {"input": "1.25", "output": "7.5"}, conditions=HALF, input_gt=200_000),
            currency="USD",
        )
    ]
)


@pytest.mark.parametrize(
    ("model", "served", "counts", "expected"),
    [
        pytest.param("flint", FLEX, (MILLION, 0, 0), "1.25", id="B223"),
        pytest.param("flint", BATCH, (100_000, 0, 10_000), "0.175", id="B225"),
        pytest.param("flint", BATCH, (100_000, 80_000, 0), "0.075", id="B226"),
        pytest.param("river", BATCH, (300_000, 0, 0), "0.375", id="B228"),
        pytest.param("flint", FLEX, (MILLION, 0, 0), "1.25", id="B231"),
        pytest.param("flint", {}, (MILLION, 0, 0), "2.5", id="B223-standard"),
        pytest.param("flint", {"service_tier": "batch"}, (MILLION, 0, 0), "1.25", id="B225-name"),
    ],
)
def test_a_way_of_serving_has_its_own_prices(model, served, counts, expected):
    given, cached, output = counts
    used = {
        "input_tokens": given,
        "cache_read_input_tokens": cached,
        "output_tokens": output,
    }
    assert cost(model, book=BOOK, **used, **served) == expected


def test_a_refused_flex_request_costs_nothing():  # B231
    refused = {"input_tokens": None, "output_tokens": None, "status": "error", "http_status": 429}
    assert cost("flint", book=BOOK, **refused, **FLEX) == "0"
    assert state("flint", book=BOOK, **refused, **FLEX) == "free"


def test_a_tier_nobody_prices_is_an_assumption_that_shows():
    unknown = {"service_tier": "ultra"}
    assert state("flint", book=BOOK, input_tokens=MILLION, **unknown) == "assumed"
    assert cost("flint", book=BOOK, input_tokens=MILLION, **unknown) == "2.5"


def lines(**prices):
    return [
        {"provider": "testing", "model": "onyx", "unit": unit, "price": price, "from": "2026-01-01"}
        | ({"processing": "batch"} if name.startswith("batch") else {})
        for name, (unit, price) in prices.items()
    ]


@pytest.mark.parametrize(
    ("rates", "code"),
    [
        pytest.param(
            lines(standard=("input", "2"), batch=("input", "2")),
            "batch_not_below_standard",
            id="B230-batch",
        ),
        pytest.param(
            lines(fresh=("input", "2"), read=("input.cache_read", "2.5")),
            "cached_above_input",
            id="B230-read",
        ),
        pytest.param(
            lines(short=("input.cache_write.5m", "4"), long=("input.cache_write.1h", "3")),
            "hour_below_5_minutes",
            id="B230-write",
        ),
    ],
)
def test_prices_that_look_wrong_wait_for_a_person(db, rates, code):
    organization = Organization.objects.create(slug="acme", name="Acme", currency="USD")
    table = json.dumps({"book": {"code": "own", "currency": "USD"}, "rates": rates}).encode()
    changed = import_table(table, organization=organization)
    assert changed.is_refused
    assert [finding.code for finding in changed.findings] == [code]
