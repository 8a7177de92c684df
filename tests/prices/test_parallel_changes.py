"""Two people who change the same price at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.db import connection

from accounting.models import Organization, PriceVersion, Rate
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_price


@pytest.mark.django_db(transaction=True)
def test_changes_at_once_take_one_version_after_the_other_and_leave_one_open_row():
    organization = Organization.objects.create(slug="acme", name="Acme")

    def add(month):
        row = RateRow(
            provider="testing",
            model="opal",
            unit="input",
            price=Decimal(month),
            effective_from=datetime(2026, month, 1, tzinfo=UTC),
        )
        try:
            return add_price(row, organization=organization, book=BookRow(code="own"))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        versions = sorted(changed.version for changed in pool.map(add, range(1, 9)))
    assert versions == [1, 2, 3, 4, 5, 6, 7, 8]
    assert PriceVersion.objects.count() == 8
    standing = Rate.objects.filter(superseded_version=None).order_by("effective_from")
    ends = [row.effective_to for row in standing]
    assert [row.price for row in standing] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert ends == [*(row.effective_from for row in standing[1:]), None]
