"""What the first page says of where the month will end."""

from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from accounting.models import StoredProjection
from accounting.queries.filters import usage_filter
from accounting.queries.projection_hits import scope_of
from tests.factories import UsageHourFactory


def spend(organization, days):
    now = timezone.now()
    for ago in range(1, days + 1):
        hour = now - timedelta(days=ago)
        UsageHourFactory(organization=organization, hour=hour, cost=Decimal(10))
    return now


def text_of(page):
    return " ".join(page.get("/?whole=yes").content.decode().split())


def test_with_enough_history_there_is_a_band_and_what_became_of_earlier_ones(page, organization):
    now = spend(organization, 20)
    wanted = usage_filter({}, organization, now)
    for low in (290, 305):
        StoredProjection.objects.create(
            organization=organization,
            scope=scope_of(wanted),
            time_zone="UTC",
            metric="cost",
            currency="USD",
            period_start="2026-01-01",
            period_end="2026-02-01",
            as_of=f"2026-01-{low - 285:02}",
            method="weekday_level",
            history_days=28,
            spent=0,
            low=low,
            expected=310,
            high=320,
            deviation=10,
            scale=1.75,
            actual=300,
        )
    text = text_of(page)
    assert "80 % between" in text
    assert "tokens by weekday and level of 20 days" in text
    assert "such bands held 1 of 2 times in 1 month" in text


def test_without_enough_history_the_page_says_why_there_is_no_band(page, organization):
    now = timezone.now()
    spend(organization, 2)
    text = text_of(page)
    assert "80 % between" not in text
    if now.day > 1:
        assert "a band needs 14 whole days of history" in text
    else:
        assert "not enough data" in text
