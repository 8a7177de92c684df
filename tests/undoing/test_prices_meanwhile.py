"""Prices that changed between an import and its undoing: what comes back costs what it would cost."""

from datetime import timedelta
from decimal import Decimal

import pytest

from accounting.models import UsageEvent
from accounting.services.rollups import differences
from tests.posting.conftest import make_organization
from tests.records import NOON, usage_record
from tests.repricing.conftest import apply, draft, set_price, undo
from tests.undoing.books import told, undone

MILLION = 1_000_000


@pytest.fixture
def organization(db):
    organization = make_organization()
    set_price(organization, "3")
    set_price(organization, "15", unit="output")
    return organization


def only(organization):
    assert set(differences(organization_id=organization.pk).values()) == {0}
    return UsageEvent.objects.of(organization.pk).get()


def rewritten(organization, model="opal"):
    """One event, told more completely by a second import."""
    told(organization, usage_record(response_model=model, input_tokens=MILLION, output_tokens=0))
    return told(organization, usage_record(input_tokens=MILLION, output_tokens=MILLION))


def test_a_cost_that_was_known_comes_back_though_the_price_has_changed(organization):
    fuller = rewritten(organization)
    set_price(organization, "4")
    undone(fuller)
    assert only(organization).cost == 3


def test_a_repriced_event_comes_back_repriced(organization):
    fuller = rewritten(organization)
    set_price(organization, "4")
    apply(draft(organization))
    assert only(organization).cost == 19
    undone(fuller)
    assert only(organization).cost == 4


def test_an_event_whose_repricing_was_undone_comes_back_as_it_was(organization):
    fuller = rewritten(organization)
    before = only(organization).price_version
    set_price(organization, "4")
    run = apply(draft(organization))
    undo(run)
    undone(fuller)
    event = only(organization)
    assert (event.cost, event.price_version) == (3, before)


def test_an_event_comes_back_without_the_repricings_that_were_undone_meanwhile(organization):
    told(organization, usage_record(input_tokens=MILLION, output_tokens=0))
    before = only(organization).price_version
    runs = []
    for price in ("4", "5"):
        set_price(organization, price)
        runs.append(apply(draft(organization)))
    assert only(organization).cost == 5
    fuller = told(organization, usage_record(input_tokens=MILLION, output_tokens=MILLION))
    for run in reversed(runs):
        undo(run)
    assert only(organization).cost == 20
    undone(fuller)
    event = only(organization)
    assert (event.cost, event.price_version) == (3, before)


def test_what_had_no_price_comes_back_with_the_one_entered_meanwhile(organization):
    fuller = rewritten(organization, model="jade")
    assert only(organization).cost == 18
    set_price(organization, "7", model="jade")
    set_price(organization, "0", unit="output", model="jade")
    undone(fuller)
    event = only(organization)
    assert (event.model, event.cost, event.filled_in) == ("jade", 7, "cost")
    set_price(organization, "8", model="jade", since=NOON - timedelta(days=1))
    assert only(organization).cost == 8


def test_a_cost_that_was_known_is_not_changed_by_the_price_of_what_replaced_it(organization):
    told(organization, usage_record(input_tokens=MILLION, output_tokens=0))
    fuller = told(
        organization,
        usage_record(response_model="jade", input_tokens=MILLION, output_tokens=MILLION),
    )
    assert only(organization).cost is None
    set_price(organization, "4")
    set_price(organization, "7", model="jade")
    set_price(organization, "1", unit="output", model="jade")
    assert only(organization).cost == 8
    undone(fuller)
    assert only(organization).cost == Decimal(3)


def test_an_event_that_stays_without_a_price_comes_back_without_one(organization):
    fuller = rewritten(organization, model="jade")
    set_price(organization, "4")
    undone(fuller)
    event = only(organization)
    assert (event.cost, event.cost_state, event.unpriced_tokens) == (None, "unpriced", MILLION)
