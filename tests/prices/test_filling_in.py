"""A price entered later prices at once what had none, and leaves every cost that exists."""

from decimal import Decimal

from accounting.models import Project, UsageEvent
from tests.posting.conftest import post_to
from tests.prices.conftest import BRIEF
from tests.records import usage_record


def test_an_import_prices_what_had_no_price(organization, take):
    Project.objects.create(pk=1, organization=organization, slug="default", name="Default")
    post_to(organization.pk, [usage_record("r1", input_tokens=1_000_000, output_tokens=0)])
    (event,) = UsageEvent.objects.of(organization.pk)
    assert (event.cost_state, event.cost) == ("unpriced", None)
    changed = take(BRIEF)
    (event,) = UsageEvent.objects.of(organization.pk)
    assert changed.newly_priced == 1
    assert (event.cost_state, event.cost, event.credits) == (
        "priced",
        Decimal("0.5"),
        Decimal(500),
    )


def test_a_cost_that_exists_stays(organization, take):
    Project.objects.create(pk=1, organization=organization, slug="default", name="Default")
    take(BRIEF)
    post_to(organization.pk, [usage_record("r1", input_tokens=1_000_000, output_tokens=0)])
    dearer = [{**BRIEF["rates"][0], "price": "5"}]
    changed = take({"book": BRIEF["book"], "rates": dearer})
    (event,) = UsageEvent.objects.of(organization.pk)
    assert (changed.newly_priced, event.cost) == (0, Decimal("0.5"))
