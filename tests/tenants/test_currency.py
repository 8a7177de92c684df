"""The currency of the books is chosen once: what has a cost keeps the one it was booked in."""

import pytest
from django.contrib.auth.models import User

from accounting.models import Membership, Organization, UsageEvent
from accounting.services.tenants import CurrencyInUseError, configure
from tests.posting.conftest import make_organization, post_to, price_opal
from tests.records import usage_record

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return make_organization()


def choose(organization, currency, time_zone="UTC"):
    return configure(organization_id=organization.pk, currency=currency, time_zone=time_zone)


def test_another_currency_is_refused_once_anything_has_a_cost(organization):
    price_opal(organization)
    post_to(organization.pk, [usage_record(input_tokens=1_000_000, output_tokens=0)])

    with pytest.raises(CurrencyInUseError, match="booked in USD"):
        choose(organization, "CNY")

    organization.refresh_from_db()
    assert (organization.currency, organization.configured_at) == ("USD", None)
    assert UsageEvent.objects.get().cost_base == 3
    assert choose(organization, "USD", "Asia/Shanghai").time_zone == "Asia/Shanghai"


def test_what_has_no_cost_yet_gets_it_in_the_currency_that_was_chosen(organization):
    post_to(organization.pk, [usage_record(input_tokens=1_000_000, output_tokens=0)])
    assert choose(organization, "CNY").currency == "CNY"
    price_opal(organization)
    event = UsageEvent.objects.get()
    assert (event.cost, event.currency, event.cost_base) == (3, "USD", None)


def test_the_page_says_why_instead_of_failing(organization, client):
    owner = User.objects.create_user("owner2")
    Membership.objects.create(organization=organization, user=owner, role="owner")
    price_opal(organization)
    post_to(organization.pk, [usage_record(input_tokens=1_000_000, output_tokens=0)])
    client.force_login(owner)

    page = client.post("/welcome/", {"currency": "CNY", "time_zone": "Asia/Shanghai"})

    assert page.status_code == 200
    assert "costs are booked in USD" in page.content.decode()
    assert Organization.objects.get(pk=organization.pk).configured_at is None
