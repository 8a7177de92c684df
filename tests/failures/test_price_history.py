"""A request costs what held when it started; a later price and a corrected one are two things."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.models import CostRevision, UsageEvent
from accounting.queries.explain import explanations
from accounting.queries.spend import usage_totals
from tests.posting.conftest import make_organization, post_to
from tests.queries.asking import wanted
from tests.records import usage_record
from tests.repricing.conftest import apply, draft, set_price

pytestmark = pytest.mark.django_db
MILLION = 1_000_000
MARCH = {"from": ["2026-03-01"], "to": ["2026-04-01"]}


def day(number):
    return datetime(2026, 3, number, 12, tzinfo=UTC)


@pytest.fixture
def organization():
    return make_organization()


def price(organization, amount, since=1):
    set_price(organization, amount, model="flint", since=datetime(2026, 3, since, tzinfo=UTC))
    set_price(
        organization, "0", unit="output", model="flint", since=datetime(2026, 3, 1, tzinfo=UTC)
    )


def post(organization, *days, tokens=MILLION):
    post_to(
        organization.pk,
        [
            usage_record(
                f"r{n}", at=day(n), response_model="flint", input_tokens=tokens, output_tokens=0
            )
            for n in days
        ],
    )


def spent(organization):
    return usage_totals(wanted(organization, **MARCH)).cost_in("USD")


def test_each_request_keeps_the_price_of_its_day(organization):  # B206
    price(organization, "5")
    price(organization, "4", since=21)
    post(organization, 20, 22)
    assert spent(organization) == Decimal(9)
    versions = UsageEvent.objects.values_list("price_version", flat=True)
    assert set(versions) == {3}


def test_a_price_that_begins_later_leaves_what_was(organization):  # B208
    price(organization, "5")
    post(organization, 1)
    version = UsageEvent.objects.get().price_version
    price(organization, "4", since=15)
    run = apply(draft(organization))
    event = UsageEvent.objects.get()
    assert (event.cost, run.outcome["changed"]) == (Decimal(5), 0)
    assert event.price_version >= version


def test_what_had_no_price_waits_for_one_and_follows_its_correction(organization):  # B210
    post(organization, 5)
    assert UsageEvent.objects.get().cost is None
    price(organization, "5")
    assert UsageEvent.objects.get().cost == Decimal(5)
    price(organization, "6")  # the same start: a correction
    assert UsageEvent.objects.get().cost == Decimal(6)
    assert draft(organization).draft["changed"] == 0


def test_a_wrong_price_is_put_right_by_a_run_that_keeps_the_old_cost(organization):  # B211
    price(organization, "0.66")
    post(organization, 3, tokens=4_900_000)
    assert spent(organization) == Decimal("3.234")
    price(organization, "0.5472")
    assert spent(organization) == Decimal("3.234")
    apply(draft(organization))
    assert spent(organization) == Decimal("2.68128")
    (kept,) = CostRevision.objects.all()
    assert kept.old_cost == Decimal("3.234")


def test_a_cost_shows_the_price_that_made_it(organization):  # B213
    price(organization, "5")
    price(organization, "4", since=21)
    post(organization, 20)
    (shown,) = explanations(organization.pk, UsageEvent.objects.all())
    line = next(line for line in shown.lines if line.line.unit == "input")
    row = line.rate.row
    assert (line.line.amount, row.price, row.book) == (5 * 10**12, Decimal(5), "own")
    assert (f"{row.effective_from:%m-%d}", f"{row.effective_to:%m-%d}") == ("03-01", "03-21")
    assert row.version == 1
