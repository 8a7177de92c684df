"""The table of prices, a page of models at a time."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from accounting.queries.price_pages import MODELS_ON_PAGE, price_page
from accounting.services.price_files import BookRow
from accounting.services.price_rows import RateRow
from accounting.services.pricebooks import add_rates
from tests.factories import OrganizationFactory

NOW = datetime(2026, 11, 30, tzinfo=UTC)
MODELS = MODELS_ON_PAGE + 5


@pytest.fixture
def organization(db):
    """Two prices each for five models more than fit on a page: m000, m001 and so on."""
    organization = OrganizationFactory(currency="USD")
    rows = [
        RateRow(
            provider="testing",
            model=f"m{number:03}",
            unit=unit,
            price=Decimal(number + 1),
            effective_from=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for number in range(MODELS)
        for unit in ("input", "output")
    ]
    add_rates(rows, organization=organization, book=BookRow(code="own", currency="USD"))
    return organization


def models_of(page):
    return [row.model for row in page.rows][::2]


def test_the_pages_hold_every_model_once_with_all_its_rates(organization):
    first = price_page(organization.pk, at=NOW)
    second = price_page(organization.pk, at=NOW, number=2)
    assert models_of(first) + models_of(second) == [f"m{number:03}" for number in range(MODELS)]
    assert (first.first, first.last, first.models, first.has_next) == (1, 30, 35, True)
    assert (second.first, second.last, second.has_next) == (31, 35, False)
    assert len(second.rows) == 10


@pytest.mark.parametrize(("asked", "given"), [(0, 1), (-3, 1), (2, 2), (99, 2)])
def test_a_page_that_is_not_there_is_the_nearest(organization, asked, given):
    assert price_page(organization.pk, at=NOW, number=asked).number == given


def test_a_search_looks_in_all_pages(organization):
    found = price_page(organization.pk, at=NOW, model="M034")
    assert models_of(found) == ["m034"]
    assert (found.models, found.first, found.last) == (1, 1, 1)


def test_nothing_found_is_an_empty_page(organization):
    found = price_page(organization.pk, at=NOW, model="nothing of this name", number=4)
    assert (found.rows, found.models, found.number, found.first, found.last) == ((), 0, 1, 0, 0)


def test_a_price_without_a_model_stands_beside_those_with_one(organization):
    anything = RateRow(
        provider="testing", model="", unit="requests", price=Decimal(1), effective_from=NOW
    )
    add_rates([anything], organization=organization, book=BookRow(code="own", currency="USD"))
    page = price_page(organization.pk, at=NOW)
    assert page.models == MODELS + 1
    assert [row.unit for row in page.rows if not row.model] == ["requests"]
    assert page.rows[0].model == ""


def test_a_page_takes_three_statements_however_many_rates(organization, django_assert_num_queries):
    with django_assert_num_queries(3):
        price_page(organization.pk, at=NOW, number=2)
