"""A price knows what it is for and in which currency; nothing is read as something else in silence."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.domain.errors import BadRateError
from accounting.models import FxRate, Organization, PriceBook, Rate, UsageEvent
from accounting.queries.spend import usage_totals
from accounting.services.credit_presets import preset_named, use_preset
from accounting.services.pricebooks import Author, import_table
from tests.books import NOON, credit, rate_book
from tests.posting.conftest import make_organization, post_to, price_opal
from tests.queries.asking import wanted
from tests.records import usage_record
from tests.repricing.conftest import apply, draft, set_price

DAY = datetime(2026, 1, 1, tzinfo=UTC)
PICO = 10**12


@pytest.fixture
def organization(db):
    return Organization.objects.create(slug="acme", name="Acme", currency="USD")


def take(organization, document, **by):
    return import_table(
        json.dumps(document).encode(), organization=organization, start=DAY, by=Author(**by)
    )


def prices(currency="USD"):
    rows = Rate.objects.filter(book__currency=currency, superseded_version=None)
    return {row.unit: str(row.price) for row in rows}


@pytest.mark.parametrize(
    ("unit", "prompt", "completion", "stored"),
    [
        pytest.param("per_1m_tokens", "3.00", "12.00", {"input": "3", "output": "12"}, id="B195"),
        pytest.param("per_1m_tokens", "2.90", "2.90", {"input": "2.9", "output": "2.9"}, id="B196"),
        pytest.param("per_token", "0.000003", "0.000012", {"input": "3", "output": "12"}, id="one"),
    ],
)
def test_a_feed_that_says_its_unit_is_read_in_it(organization, unit, prompt, completion, stored):
    pricing = {"unit": unit, "prompt": prompt, "completion": completion}
    take(organization, [{"model": "flint", "pricing": pricing}])
    found = {name: Decimal(price) for name, price in prices().items()}
    assert found == {name: Decimal(price) for name, price in stored.items()}


@pytest.mark.parametrize("unit", [None, "per_bushel"], ids=["B195-missing", "B195-unknown"])
def test_a_feed_without_a_known_unit_is_refused(organization, unit):
    pricing = {"prompt": "3.00", "completion": "12.00"} | ({"unit": unit} if unit else {})
    changed = take(organization, [{"model": "flint", "pricing": pricing}])
    assert (changed.version, changed.left_out[0].what) == (None, f"prices for unit {unit!r}")
    assert not Rate.objects.exists()


def test_a_price_far_from_any_other_needs_a_person(organization):  # B198
    row = {"provider": "testing", "model": "m", "unit": "input", "from": "2026-01-01"}
    table = {
        "book": {"code": "own", "currency": "USD"},
        "rates": [{**row, "price": "0.015", "per": "1"}],  # 15,000 for a million
    }
    refused = take(organization, table)
    assert refused.is_refused
    assert [finding.code for finding in refused.findings] == ["magnitude"]
    assert not Rate.objects.exists()
    assert take(organization, table, confirmed=True).rates.added == 1


def test_a_price_in_yuan_stays_in_yuan(organization):  # B200
    entry = {"model": "flint", "currency": "CNY", "unit": "per_1m_tokens", "pricing": {"prompt": 1}}
    take(organization, [entry])
    assert prices("CNY") == {"input": "1"}
    assert prices("USD") == {}
    assert PriceBook.objects.get().currency == "CNY"


def test_what_a_credit_is_worth_is_not_what_it_costs_to_buy(organization):  # B201
    use_preset(preset_named("new-api"), organization=organization, start=DAY)
    from accounting.queries.prices import loaded_rates

    conversions = loaded_rates(organization.pk).conversions
    assert conversions.exchanged(500_000 * PICO, "QUOTA", "USD", NOON) == PICO
    assert conversions.credits(PICO, "USD", NOON) == 500_000 * PICO


def test_a_currency_is_never_changed_into_itself_by_a_rate(organization):  # B203
    odd = credit("1.000268", what="USD", currency="USD")
    assert rate_book(fx_rates=[odd], currency="USD").base(100 * PICO, "USD", NOON) == 100 * PICO
    with pytest.raises(Exception, match="fxrate_is_between_currencies"):
        take(
            organization,
            {
                "fx_rates": [
                    {"from_currency": "USD", "to_currency": "USD", "rate": "1.000268",
                     "from": "2026-01-01"}
                ]
            },
        )  # fmt: skip


def test_sums_of_different_currencies_stand_side_by_side(db):  # B200
    organization = make_organization()
    price_opal(organization)
    yuan = {
        "book": {"code": "yuan", "currency": "CNY"},
        "rates": [
            {"provider": "testing", "model": "flint", "unit": unit, "price": "7",
             "from": "2026-01-01"}
            for unit in ("input", "output")
        ],
    }  # fmt: skip
    take(organization, yuan)
    tokens = {"input_tokens": 1_000_000, "output_tokens": 0}
    post_to(
        organization.pk,
        [usage_record("a", **tokens), usage_record("b", response_model="flint", **tokens)],
    )
    found = usage_totals(wanted(organization, **{"from": ["2026-03-01"], "to": ["2026-04-01"]}))
    assert {cost.currency: cost.amount for cost in found.costs} == {
        "CNY": Decimal(7),
        "USD": Decimal(3),
    }
    # The dollars are the organization's own; the yuan have no rate and are counted, not added.
    assert (found.cost_base, found.cost_base_unknown) == (Decimal(3), 1)
    assert not FxRate.objects.exists()


def test_a_typing_error_is_corrected_and_the_sum_follows(db):  # B205
    organization = make_organization()
    price_opal(organization, "76160000")
    post_to(organization.pk, [usage_record("a", input_tokens=1, output_tokens=0)])
    assert UsageEvent.objects.get().cost is None  # refused by magnitude: nothing was entered
    set_price(organization, "76.16")
    price_opal(organization, "3")
    run = apply(draft(organization))
    found = usage_totals(wanted(organization, **{"from": ["2026-03-01"], "to": ["2026-04-01"]}))
    assert run.state == "applied"
    assert found.cost_in("USD") == Decimal("0.000003")


@pytest.mark.parametrize("written", ["1e-3", "-3", "3,5", "NaN", "١"])
def test_what_is_no_price_is_refused(organization, written):
    row = {"provider": "t", "model": "m", "unit": "input", "price": written, "from": "2026-01-01"}
    with pytest.raises(BadRateError):
        take(organization, {"book": {"code": "own", "currency": "USD"}, "rates": [row]})
