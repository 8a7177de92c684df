"""Projections are stored once a day, measured when their period is over, and learnt from."""

from datetime import date, timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounting.models import StoredProjection, UsageDayAttribute
from accounting.queries.projection import month_projections, projections
from accounting.queries.projection_hits import scope_of
from accounting.services.pricebooks import import_table
from accounting.services.projections import (
    keep_month,
    measure,
    organizations_with_usage,
    store,
)
from accounting.tasks import keep_projections
from tests.factories import OrganizationFactory, UsageHourFactory
from tests.queries.asking import at, wanted

pytestmark = pytest.mark.django_db
OCTOBER, NOVEMBER = date(2026, 10, 1), date(2026, 11, 1)


@pytest.fixture
def organization():
    """One that has spent 10 a day from September to November."""
    organization = OrganizationFactory(slug="default")
    for n in range(91):
        spend(organization, date(2026, 9, 1) + timedelta(days=n), "10")
    return organization


def spend(organization, day, amount, **fields):
    hour = at(f"{day}T12:00Z")
    UsageHourFactory(organization=organization, hour=hour, cost=Decimal(amount), **fields)


def keep(organization, moment):
    return keep_month(organization_id=organization.pk, now=at(moment))


def told(organization, start=OCTOBER, *, as_of=None, **fields):
    """A stored projection of a month: 300 expected, 290 to 310, unless it is told otherwise."""
    values = {"low": 290, "expected": 300, "high": 310, "deviation": 8, "scale": 2.0, "spent": 0}
    values |= {"metric": "cost", "currency": "USD", "method": "weekday_level", "history_days": 28}
    values |= {"time_zone": "UTC", "scope": scope_of(wanted(organization))}
    values |= {"period_start": start, "period_end": (start + timedelta(days=31)).replace(day=1)}
    values |= {"organization": organization, "as_of": as_of or start}
    return StoredProjection.objects.create(**(values | fields))


def hits(organization, moment="2026-11-10T00:00Z", **params):
    (found,) = month_projections(wanted(organization, now=at(moment), **params))
    return found.hits


def test_the_first_projection_of_a_day_stands(organization):
    assert keep(organization, "2026-10-20T00:30Z").stored == 1
    spend(organization, "2026-10-19", "999")
    assert keep(organization, "2026-10-20T08:00Z").stored == 0
    (kept,) = StoredProjection.objects.all()
    assert (kept.as_of, kept.expected, kept.spent) == (date(2026, 10, 20), 310, 190)
    assert (kept.low, kept.high, kept.method) == (310, 310, "weekday_level")
    assert keep(organization, "2026-10-21T00:30Z").stored == 1


def test_the_day_is_that_of_the_organization():
    organization = OrganizationFactory(time_zone="Asia/Tokyo")
    spend(organization, "2026-10-01", "10")
    keep(organization, "2026-10-20T16:00Z")
    assert StoredProjection.objects.get().as_of == date(2026, 10, 21)


def test_a_month_is_measured_when_it_is_over_and_again_for_what_comes_late(organization):
    keep(organization, "2026-10-20T00:30Z")
    assert measure(organization_id=organization.pk, now=at("2026-10-31T23:59Z")) == 0
    assert measure(organization_id=organization.pk, now=at("2026-11-01T00:00Z")) == 1
    assert StoredProjection.objects.get().actual == 310
    assert measure(organization_id=organization.pk, now=at("2026-11-02T00:00Z")) == 0
    spend(organization, "2026-10-31", "5")
    assert measure(organization_id=organization.pk, now=at("2026-11-03T00:00Z")) == 1
    assert StoredProjection.objects.get().actual == 315
    spend(organization, "2026-10-31", "5")
    assert measure(organization_id=organization.pk, now=at("2027-01-03T00:00Z")) == 0


def test_a_projection_of_some_usage_is_measured_by_the_same_usage(organization):
    spend(organization, "2026-10-02", "70", model="opal")
    asked = wanted(organization, now=at("2026-10-20T00:00Z"), model="opal")
    store(asked, month_projections(asked))
    measure(organization_id=organization.pk, now=at("2026-11-01T00:00Z"))
    assert StoredProjection.objects.get().actual == 70


def test_credits_are_measured_in_credits(organization):
    rate = (
        b'{"book": {"code": "own", "currency": "USD"}, "credit_rates": ['
        b'{"kind": "credit", "currency": "USD", "price": "0.1", "from": "2020-01-01"}]}'
    )
    import_table(rate, organization=organization)
    UsageDayAttribute.objects.update(credits=Decimal(100))
    keep(organization, "2026-10-20T00:30Z")
    measure(organization_id=organization.pk, now=at("2026-11-01T00:00Z"))
    found = StoredProjection.objects.order_by("metric").values_list("metric", "actual")
    assert list(found) == [("cost", 310), ("credits", 3_100)]


def test_hits_are_counted_over_ended_months_of_the_same_question(organization):
    told(organization, actual=310)
    told(organization, as_of=date(2026, 10, 9), actual=311)
    told(organization, date(2026, 9, 1), actual=290)
    told(organization, NOVEMBER)
    told(organization, as_of=date(2026, 10, 3), low=None, actual=300)
    told(organization, as_of=date(2026, 10, 4), currency="CNY", actual=300)
    told(organization, as_of=date(2026, 10, 5), scope="other", actual=300)
    told(organization, date(2026, 7, 1), period_end=OCTOBER, actual=300)
    found = hits(organization)
    assert (found.periods, found.projections, found.held) == (2, 3, 2)


def test_a_narrower_question_has_hits_of_its_own(organization):
    told(organization, actual=300)
    assert hits(organization, model="claude").projections == 0
    assert hits(organization, status="ok").projections == 0


def test_the_order_of_conditions_makes_no_other_question(organization):
    one = wanted(organization, model=["a", "b"], provider="x")
    other = wanted(organization, provider="x", model=["b", "a"])
    assert scope_of(one) == scope_of(other) != scope_of(wanted(organization, model="a"))


def test_a_band_learns_from_twelve_months(organization):
    spend(organization, "2026-11-09", "30")  # or there is nothing to make a band of

    def scale():
        (found,) = month_projections(wanted(organization, now=at("2026-11-10T00:00Z")))
        return found.forecast.scale

    before = scale()
    for n in range(12):  # each off by ten times what its deviation says
        month = date(2025, 10 + n, 1) if n < 3 else date(2026, n - 2, 1)
        told(organization, month, actual=300 + 40)
        if n == 10:
            assert scale() == before
    assert scale() > before * 2


def test_the_command_keeps_what_it_prints_today_and_no_look_back(organization):
    call_command("project", "--as-of", "2026-10-20", stdout=StringIO())
    assert not StoredProjection.objects.exists()
    today = timezone.now().date()
    for n in range(1, 20):
        spend(organization, today - timedelta(days=n), "10")
    call_command("project", stdout=StringIO())
    call_command("project", stdout=StringIO())
    assert StoredProjection.objects.get().as_of in {today, timezone.now().date()}


def test_the_command_tells_the_band_and_what_became_of_earlier_ones(organization):
    told(organization, actual=300)
    out = StringIO()
    call_command("project", "--as-of", "2026-11-10", stdout=out)
    assert out.getvalue() == (
        "90 USD spent, 300 USD expected by 2026-12-01, 80 % between 300 and 300 "
        "(tokens by weekday and level of 70 whole days; such bands held 1 of 1 times)\n"
    )


def test_the_task_keeps_a_projection_of_every_organization_with_usage(organization):
    OrganizationFactory()
    assert organizations_with_usage() == (organization.pk,)
    today = timezone.now().date()
    for n in range(1, 20):
        spend(organization, today - timedelta(days=n), "10")
    keep_projections()
    keep_projections()
    assert StoredProjection.objects.filter(metric="cost").count() == 1


def test_other_periods_are_kept_too(organization):
    asked = wanted(organization, now=at("2026-11-10T00:00Z"))
    found = projections(asked, date(2026, 11, 9), date(2026, 11, 16))
    assert store(asked, found) == 1
    measure(organization_id=organization.pk, now=at("2026-11-16T00:00Z"))
    assert StoredProjection.objects.get().actual == 70
