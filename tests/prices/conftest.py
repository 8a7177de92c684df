"""An organization with a credit of 0.001 CNY, and price tables as people write them."""

import json

import pytest

from accounting.models import Organization
from accounting.services.pricebooks import import_table
from tests.repricing.conftest import at_once

__all__ = ["at_once"]

BRIEF = {
    "book": {"code": "brief", "currency": "CNY"},
    "rates": [
        {"provider": "testing", "model": "opal", "unit": unit, "price": price, "from": "2026-01-01"}
        for unit, price in (("input", "0.5"), ("input.cache_read", "0.1"), ("output", "1.5"))
    ],
    "credit_rates": [{"kind": "credit", "currency": "CNY", "price": "0.001", "from": "2026-01-01"}],
}


@pytest.fixture
def organization(db):
    return Organization.objects.create(
        slug="acme", name="Acme", currency="CNY", time_zone="Asia/Shanghai"
    )


@pytest.fixture
def take(organization):
    """Imports a table, given as a value, into the organization's books."""

    def take_table(table):
        return import_table(json.dumps(table).encode(), organization=organization)

    return take_table
