"""What a caller may choose of an answer: fields, currency, unit and time zone."""

from decimal import Decimal

import pytest

from tests.api.asking import asker
from tests.factories import SessionTotalFactory, UsageHourFactory
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db
OCTOBER_DAYS = {"from": "2026-10-01", "to": "2026-11-01"}


@pytest.fixture
def mixed(priced):
    """7 USD and 2 EUR; the EUR came to 3 USD at the rate of their day, and both to 10,000 credits."""
    for currency, cost, base in (("USD", 7, 7), ("EUR", 2, 3)):
        UsageHourFactory(
            organization=priced,
            hour=NOON,
            currency=currency,
            cost=Decimal(cost),
            cost_base=Decimal(base),
            credits=Decimal(5_000),
        )
    return priced


@pytest.mark.parametrize(
    ("params", "unit", "amount", "is_whole"),
    [
        ({}, "USD", "10", True),
        ({"currency": "USD"}, "USD", "10", True),
        ({"currency": "usd"}, "USD", "10", True),
        ({"currency": "EUR"}, "EUR", "2", False),
        ({"currency": "CNY"}, "CNY", None, False),
        ({"unit": "credits"}, "credits", "10000", True),
    ],
)
def test_the_cost_is_one_figure_in_the_unit_that_is_asked_for(
    asks, mixed, params, unit, amount, is_whole
):
    body = asks.october("usage", **params)
    assert body["unit"] == unit
    for told in (*body["rows"], body["totals"]):
        assert (told["amount"], told["amount_is_whole"]) == (amount, is_whole)
        assert told["cost"] == {"EUR": "2", "USD": "7"}


def test_what_no_rate_converts_is_missing_and_said(asks, priced):
    UsageHourFactory(organization=priced, hour=NOON, cost=Decimal(7))
    UsageHourFactory(
        organization=priced, hour=NOON, currency="EUR", cost=Decimal(2), cost_base=Decimal(0),
        cost_base_unknown=1, credits_unknown=1,
    )  # fmt: skip
    totals = asks.october("usage")["totals"]
    assert (totals["amount"], totals["amount_is_whole"]) == ("7", False)
    totals = asks.october("usage", unit="credits")["totals"]
    assert (totals["amount"], totals["amount_is_whole"]) == ("0", False)


def test_sessions_have_the_same_figure(asks, priced):
    SessionTotalFactory(
        organization=priced, started_at=NOON, cost=Decimal(2), credits=Decimal("0.5")
    )
    body = asks.october("sessions", unit="credits")
    assert (body["rows"][0]["amount"], body["totals"]["amount"]) == ("0.5", "0.5")


@pytest.mark.parametrize(
    ("params", "code", "parameter"),
    [
        ({"unit": "tokens"}, "unknown_unit", "unit"),
        ({"currency": "ABC"}, "unknown_currency", "currency"),
        ({"currency": "credit"}, "unknown_currency", "currency"),
        ({"currency": "USD", "unit": "credits"}, "currency_and_unit", "unit"),
        ({"currency": ["USD", "EUR"]}, "repeated_parameter", "currency"),
        ({"fields": "cost,colour"}, "unknown_field", "fields"),
        ({"fields": ","}, "unknown_field", "fields"),
        ({"fields": ["cost", "group"]}, "repeated_parameter", "fields"),
    ],
)
@pytest.mark.parametrize("path", ["usage", "sessions"])
def test_what_cannot_be_right_is_named(asks, path, params, code, parameter):
    answer = asks(path, **params)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["parameter"] == parameter


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("usage", "amount,group"),
        ("sessions", "session_id"),
        ("requests", "event,cost"),
        ("cache", "group,costs"),
        ("prices", "price"),
        ("dimensions/model", "value"),
    ],
)
def test_rows_have_the_fields_that_are_asked_for(asks, priced, path, fields):
    posted(priced, {"session_id": "s"})
    answer = asks(path, fields=fields, **({} if path == "prices" else OCTOBER_DAYS))
    assert list(answer.json()["rows"][0]) == fields.split(",")


def test_a_field_that_rows_have_not_is_refused_with_those_they_have(asks):
    detail = asks("usage", fields="password").json()["detail"]
    assert "'password'" in detail
    assert "cost_base" in detail


def test_days_are_those_of_the_zone_that_is_asked_for(client):
    organization = priced_organization(time_zone="UTC")
    asks = asker(client, organization)
    posted(organization, {}, at=NOON.replace(hour=22))
    (row,) = asks.october("usage", bucket="day", tz="Europe/Berlin")["rows"]
    assert row["bucket"] == "2026-10-02"
    (row,) = asks.october("requests", tz="Europe/Berlin")["rows"]
    assert row["occurred_at"] == "2026-10-02T00:00:00+02:00"
    answer = asks("usage", tz="Asia/Kolkata")
    assert (answer.status_code, answer.json()["code"]) == (400, "zone_not_hour_aligned")
