"""A missing price is no price of nothing: the cost is unknown, the tokens count, the total says so."""

import json
from decimal import Decimal

import pytest

from accounting.models import Organization, Project, UsageEvent
from accounting.queries.price_sources import price_sources
from accounting.queries.spend import usage_table, usage_totals
from accounting.queries.unpriced import models_without_price
from accounting.services.pricebooks import import_table
from tests.books import rate_book, shelf
from tests.failures.pricing import MILLION, ROWS, cost, rows, told
from tests.posting.conftest import post_to
from tests.queries.asking import at, wanted
from tests.records import usage_record

MARCH = {"from": ["2026-03-01"], "to": ["2026-04-01"]}
FLINT = {
    "book": {"code": "own", "currency": "USD"},
    "rates": [
        {
            "provider": "testing",
            "model": "flint",
            "unit": unit,
            "price": price,
            "from": "2026-01-01",
        }
        for unit, price in (("input", "2.5"), ("output", "10"))
    ],
}


@pytest.fixture
def organization(db):
    made = Organization.objects.create(slug="acme", name="Acme", currency="USD")
    Project.objects.create(pk=1, organization=made, slug="default", name="Default")
    import_table(json.dumps(FLINT).encode(), organization=made)
    return made


def post(organization, *uses):
    """Posts one request for each (model, input tokens)."""
    post_to(
        organization.pk,
        [
            usage_record(f"r{n}", response_model=model, input_tokens=tokens, output_tokens=0)
            for n, (model, tokens) in enumerate(uses)
        ],
    )


def totals(organization):
    return usage_totals(wanted(organization, **MARCH))


@pytest.mark.parametrize(
    ("model", "counts"),
    [
        pytest.param("never-heard-of", (MILLION, 1_000), id="B033"),
        pytest.param("zzz", (MILLION, 0), id="B038"),
        pytest.param("bricks-opal", (16, 4), id="B045"),
        pytest.param("", (1_800, 1_000), id="B046"),
    ],
)
def test_nobody_guesses_the_price_of_an_unknown_model(model, counts):
    rating = told(model, input_tokens=counts[0], output_tokens=counts[1])
    assert (rating.state, rating.cost, rating.currency) == ("unpriced", None, "")
    assert rating.unpriced_tokens == sum(counts)


def test_the_largest_user_is_listed_though_its_price_is_missing(organization):  # B035
    post(organization, ("cliproxy/x", 429 * MILLION), ("flint", 10_000))
    table = usage_table(wanted(organization, group="model", **MARCH))
    shown = {row.group.value: row.totals.input_tokens for row in table.rows}
    assert shown == {"cliproxy/x": 429_000_000, "flint": 10_000}
    assert table.totals.input_tokens == 429_010_000
    assert (table.totals.cost_in("USD"), table.totals.unpriced_tokens) == (
        Decimal("0.025"),
        429_000_000,
    )


def test_a_report_with_one_unknown_model_is_a_report(organization):  # B036
    post(organization, ("flint", MILLION), ("zzz", 7))
    told_by_model = {
        row.group.value: (row.totals.cost_in("USD"), row.totals.unpriced_requests)
        for row in usage_table(wanted(organization, group="model", **MARCH)).rows
    }
    assert told_by_model == {"flint": (Decimal("2.5"), 0), "zzz": (Decimal(0), 1)}


def test_a_row_of_ones_own_hides_only_the_prices_it_states():  # B040
    listed = shelf(*ROWS, currency="USD", rank=(2,))
    own = shelf(
        *rows("opal", {"output": "12"}, book_id=2), id=2, code="mine", currency="USD", rank=(1,)
    )
    assert cost("opal", book=rate_book(shelves=[own, listed]), input_tokens=MILLION) == "3"


def test_nothing_priced_is_no_sum_of_nothing(organization):  # B041
    post(organization, *(("unpriced", 10) for _ in range(3)))
    found = totals(organization)
    assert (found.costs, found.unpriced_requests, found.requests) == ((), 3, 3)


def test_a_price_for_each_request_makes_a_model_without_token_prices_cost():  # B043
    free_tokens = rows("painter", {"input": "0", "output": "0"})
    book = rate_book(
        shelves=[
            shelf(*free_tokens, *rows("painter", {"requests": "0.08"}, per=1), currency="USD")
        ],
    )
    ratings = [told("painter", book=book, input_tokens=50) for _ in range(10)]
    assert {rating.state for rating in ratings} == {"priced"}
    assert sum(rating.cost for rating in ratings) == 800_000_000_000
    assert told("gift", input_tokens=50).state == "free"


def test_a_sum_carries_the_number_of_what_is_not_in_it(organization):  # B048
    post(
        organization, ("flint", 400_000), ("flint", 800_000), ("x", 1), ("x", 1), ("x", 1)
    )  # $1, $2 and three nobody knows
    found = totals(organization)
    assert (found.cost_in("USD"), found.unpriced_requests) == (Decimal(3), 3)


def test_what_a_person_must_look_at_is_listed(organization):  # B033: a visible counter
    post(organization, ("never-heard-of", MILLION))
    (missing,) = models_without_price(organization.pk)
    assert (missing.model, missing.unpriced_requests, missing.unpriced_tokens) == (
        "never-heard-of",
        1,
        MILLION,
    )


def test_a_price_that_comes_later_fills_in_what_was_unknown(organization):  # B045
    post(organization, ("bricks-opal", MILLION))
    later = {**FLINT, "rates": [{**FLINT["rates"][0], "model": "bricks-opal", "price": "3"}]}
    assert import_table(json.dumps(later).encode(), organization=organization).newly_priced == 1
    (event,) = UsageEvent.objects.of(organization.pk)
    assert (event.cost, event.price_version) == (Decimal(3), 2)


def test_a_broken_feed_leaves_the_last_good_prices_and_their_age_shows(organization):  # B050
    feed = {"data": [{"id": "x/model", "pricing": {"prompt": "0.000001", "completion": "0"}}]}
    import_table(json.dumps(feed).encode(), organization=organization, start=at("2026-01-01T00Z"))
    with pytest.raises(ValueError, match="no JSON"):
        import_table(b"{404: Not Found", organization=organization)
    sources = price_sources(organization.pk, now=at("2027-06-01T00Z"))
    stale = {source.source: source.is_stale for source in sources}
    assert stale["openrouter"]
    rating = told(
        "x/model", book=_loaded(organization), provider="openrouter", input_tokens=MILLION
    )
    assert rating.cost == 1_000_000_000_000


def _loaded(organization):
    from accounting.queries.prices import loaded_rates

    return loaded_rates(organization.pk)
