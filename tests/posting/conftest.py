"""An organization with one priced model: opal at 3 in, 0.30 cached, 15 out; 2 out of it from March 20."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import transaction

from accounting.models import Organization, Project
from accounting.services.posting import Telling, ensure_months, post_usage
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_rates


@pytest.fixture
def organization(db):
    return make_organization()


@pytest.fixture
def post(organization):
    """Posts records of one organization, one telling for each, in one transaction."""

    def post_records(*records):
        return post_to(organization.pk, records)

    return post_records


def make_organization(slug="acme", time_zone="UTC"):
    organization = Organization.objects.create(slug=slug, name=slug, time_zone=time_zone)
    Project.objects.create(
        pk=1, organization=organization, slug="default", name="Default", cost_center="R&D"
    )
    Project.objects.create(pk=2, organization=organization, slug="other", name="Other")
    return organization


def price_opal(organization, price="3", since=datetime(2020, 1, 1, tzinfo=UTC)):
    add_rates(
        [
            RateRow(
                provider="testing", model="opal", unit=unit, price=Decimal(each),
                effective_from=since,
            )
            for unit, each in (("input", price), ("input.cache_read", "0.30"), ("output", "15"))
        ],
        organization=organization,
        book=BookRow(code="own", currency="USD"),
    )  # fmt: skip


def post_to(organization_id, records):
    ensure_months(record.place.started_at for record in records)
    tellings = [
        Telling(line=line, records=(record,)) for line, record in enumerate(records, start=1)
    ]
    with transaction.atomic():
        return post_usage(organization_id=organization_id, tellings=tellings)
