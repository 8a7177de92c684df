"""Lists that REST gives a page at a time: how many statements each takes, and figures in one unit."""

from decimal import Decimal

import pytest
from django.utils import timezone

from accounting.models import PriceVersion
from accounting.queries.credit_rates import credit_rate_page
from accounting.queries.imports import import_page
from accounting.queries.price_list import RateFilter, rate_page
from accounting.queries.tag_keys import tag_keys
from accounting.queries.totals import Cost, Totals
from accounting.queries.units import Amount, amount_in
from tests.factories import ImportFactory
from tests.queries.asking import wanted
from tests.queries.posted import posted, priced_organization


@pytest.fixture
def organization(db):
    return priced_organization()


def test_each_list_takes_the_statements_that_it_says(organization, django_assert_num_queries):
    ImportFactory(organization=organization)
    posted(organization, {"place": {"tags": (("a", "b"),)}})
    version = PriceVersion.objects.get().pk
    now = timezone.now()
    with django_assert_num_queries(2):
        found = rate_page(organization.pk, RateFilter(), at=now, version=version, limit=3)
    assert (len(found.rates), found.has_more) == (3, True)
    with django_assert_num_queries(1):
        assert len(credit_rate_page(organization.pk, version=version, limit=3).rates) == 1
    with django_assert_num_queries(1):
        assert len(import_page(organization.pk, limit=3).imports) == 1
    asked = wanted(organization)
    with django_assert_num_queries(1):
        assert tag_keys(asked) == ("a",)


def cost(currency, amount):
    zero = Decimal(0)
    return Cost(
        currency=currency, amount=Decimal(amount), input=zero, cache_read=zero, cache_write=zero,
        output=zero, other=zero,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("CNY", Amount(value=Decimal(70), is_whole=False)),
        ("USD", Amount(value=Decimal(10), is_whole=False)),
        ("JPY", Amount(value=None, is_whole=False)),
        ("credits", Amount(value=Decimal(9), is_whole=True)),
    ],
)
def test_a_cost_as_one_figure(unit, expected):
    totals = Totals(
        costs=(cost("EUR", 1), cost("USD", 10)),
        cost_base=Decimal(70),
        cost_base_unknown=1,
        credits=Decimal(9),
    )
    assert amount_in(totals, unit, "CNY") == expected


def test_nothing_costs_nothing_that_is_known():
    assert amount_in(Totals(), "USD", "USD") == Amount(value=None, is_whole=True)
