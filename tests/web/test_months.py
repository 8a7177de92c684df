"""Months on a page: sums, closing, opening."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from accounting.models import ClosedMonth
from tests.factories import UsageHourFactory


@pytest.fixture
def last_month(organization, project):
    """An hour of the month before, and its name."""
    end = timezone.now().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    hour = end - timedelta(hours=30)
    UsageHourFactory(
        organization=organization, project_id=project.pk, hour=hour, cost=Decimal("100.5")
    )
    return f"{hour:%Y-%m}"


def test_a_month_is_shown_with_its_sums(page, last_month):
    text = page.get("/months/").content.decode()
    assert 'value="100.5"' in text
    assert f"/months/{last_month}/close" in text


def test_a_month_is_closed_and_opened(page, last_month):
    page.post(f"/months/{last_month}/close")
    assert f"{ClosedMonth.objects.get().month:%Y-%m}" == last_month
    assert f"/months/{last_month}/open" in page.get("/months/").content.decode()
    page.post(f"/months/{last_month}/open")
    assert not ClosedMonth.objects.exists()


def test_a_month_that_is_not_over_can_not_be_closed(page, books):
    now = timezone.now()
    answer = page.post(f"/months/{now:%Y-%m}/close", follow=True)
    assert "is not over" in answer.content.decode()
    assert not ClosedMonth.objects.exists()


@pytest.mark.parametrize("month", ["2026-13", "soon", "1999-01"])
def test_a_month_that_is_none_is_not_there(page, month):
    assert page.post(f"/months/{month}/close").status_code == 404


def test_months_without_usage_say_so(page):
    assert "No month has usage yet" in page.get("/months/").content.decode()
