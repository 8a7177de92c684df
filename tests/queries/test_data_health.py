"""Whether the books can be trusted for a range."""

from datetime import date, timedelta

import pytest

from accounting.models import Import
from accounting.queries.data_health import Gap, Rejected, data_health
from tests.factories import ImportFactory, OrganizationFactory, RejectionFactory
from tests.queries.asking import at, wanted
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return priced_organization()


def received(organization, when, **fields):
    found = ImportFactory(organization=organization, **fields)
    Import.objects.filter(pk=found.pk).update(received_at=when)
    return found


def test_what_is_unpriced_rejected_late_and_waiting(organization, django_assert_num_queries):
    posted(organization, {"response_model": "ruby"}, {}, at=at("2026-10-03T06:10Z"))
    source = received(organization, NOON, lines=3, rejected=3)
    for code in ("bad_count", "bad_count", "bad_time"):
        RejectionFactory(source_import=source, code=code)
    old = received(organization, NOON - timedelta(days=9), lines=1, rejected=1)
    RejectionFactory(source_import=old, code="bad_json")
    received(organization, NOON, state="reading")
    received(organization, NOON - timedelta(1), state="ready")
    with django_assert_num_queries(6):
        health = data_health(wanted(organization))
    assert [(row.model, row.unpriced_requests, row.unpriced_tokens) for row in health.unpriced] == [
        ("ruby", 1, 110)
    ]
    assert health.rejected == 3
    assert health.by_code == (
        Rejected(code="bad_count", records=2, import_id=source.pk),
        Rejected(code="bad_time", records=1, import_id=source.pk),
    )
    assert (health.waiting, health.waiting_since) == (2, NOON - timedelta(1))
    assert health.newest_hour == at("2026-10-03T06:00Z")
    assert health.lag == timedelta(hours=2, minutes=30)


def test_days_without_usage_between_days_with_some_are_gaps_of_their_source(organization):
    organization.time_zone = "Asia/Kolkata"
    organization.save()
    for source, days in (("envoy", (1, 2, 5, 9)), ("native", (1, 3)), ("once", (7,))):
        for day in days:
            posted(
                organization,
                {"source": source, "response_id": f"{source}-{day}"},
                at=NOON.replace(day=day, hour=20),
            )
    gaps = data_health(wanted(organization)).gaps
    # 20:00 UTC is half past one of the next day there.
    assert gaps == (
        Gap(source="envoy", start=date(2026, 10, 7), end=date(2026, 10, 10)),
        Gap(source="envoy", start=date(2026, 10, 4), end=date(2026, 10, 6)),
        Gap(source="native", start=date(2026, 10, 3), end=date(2026, 10, 4)),
    )
    assert [gap.days for gap in gaps] == [3, 2, 1]
    assert data_health(wanted(organization, source="native")).gaps == gaps[2:]


def test_usage_of_this_very_hour_is_not_late(organization):
    posted(organization, {}, at=at("2026-10-03T09:10Z"))
    assert data_health(wanted(organization)).lag == timedelta(0)


def test_empty_books_are_healthy():
    health = data_health(wanted(OrganizationFactory()))
    assert (health.unpriced, health.rejected, health.by_code, health.gaps) == ((), 0, (), ())
    assert (health.waiting, health.waiting_since, health.lag) == (0, None, None)
