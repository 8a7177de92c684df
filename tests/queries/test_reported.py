"""What providers report, beside what was counted."""

from datetime import timedelta
from decimal import Decimal

import pytest

from accounting.models import UsageAggregate
from accounting.queries.filters import FilterError
from accounting.queries.reported import reported_usage
from tests.factories import ImportFactory, OrganizationFactory
from tests.queries.asking import wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return priced_organization()


@pytest.fixture
def report(organization):
    source = ImportFactory(organization=organization)

    def kept(day, source_name="openai_org_usage", **fields):
        return UsageAggregate.objects.create(
            organization=organization, source_import=source, source=source_name,
            period_start=NOON.replace(day=day), period_end=NOON.replace(day=day + 1),
            fingerprint=bytes(14) + UsageAggregate.objects.count().to_bytes(2),
            **{"provider": "testing", "model": "opal", **fields},
        )  # fmt: skip

    return kept


def test_reports_stand_beside_the_books_and_are_never_added(
    organization, report, django_assert_num_queries
):
    report(1, requests=3, input_tokens=300)
    report(2, requests=1, output_tokens=9, reported_cost=Decimal("0.25"), reported_currency="USD")
    report(3, reported_cost=Decimal("0.5"), reported_currency="CNY", credits=Decimal(7))
    report(1, model="jade", requests=5)
    report(1, purpose="benchmark", requests=1_000)
    posted(organization, {"input_tokens": 290}, {"response_model": "ruby"})
    with django_assert_num_queries(2):
        jade, opal = reported_usage(wanted(organization))
    assert (jade.model, jade.counts["requests"], jade.counted.requests) == ("jade", 5, 0)
    assert (opal.source, opal.provider, opal.rows) == ("openai_org_usage", "testing", 3)
    assert (opal.starts_at, opal.ends_at) == (NOON, NOON + timedelta(days=3))
    told = {name: value for name, value in opal.counts.items() if value is not None}
    assert told == {"requests": 4, "input_tokens": 300, "output_tokens": 9}
    assert opal.cost == {"CNY": Decimal("0.5"), "USD": Decimal("0.25")}
    assert opal.credits == 7
    assert (opal.counted.requests, opal.counted.input_tokens) == (1, 290)


def test_filters_by_provider_model_and_source(organization, report):
    report(1, requests=3)
    report(1, "anthropic_usage_report", model="jade", requests=5)
    posted(organization, {})
    (opal,) = reported_usage(wanted(organization, model="opal", source="openai_org_usage"))
    assert (opal.model, opal.counted.requests) == ("opal", 1)
    assert reported_usage(wanted(organization, **{"model!": ["opal", "jade"]})) == ()
    assert reported_usage(wanted(organization, **{"from": "2026-10-02"})) == ()
    with pytest.raises(FilterError) as error:
        reported_usage(wanted(organization, team="red"))
    assert error.value.code == "not_reported"


def test_other_organizations_reports_are_not_in_it(report):
    report(1, requests=3)
    assert reported_usage(wanted(OrganizationFactory())) == ()
