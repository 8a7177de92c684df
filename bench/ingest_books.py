"""A table of 90 days of events to import into."""

from datetime import datetime, timedelta

from accounting.models import Organization, Project
from bench.repricing_books import DAYS, START, TEMPLATE, filled


def grown(events: int) -> Organization:
    """An organization with so many events, posted once and then copied by SQL."""
    organization = filled(max(events, 2 * TEMPLATE))
    Project.objects.create(organization=organization, slug="default", name="Default")
    return organization


def into_last_day() -> datetime:
    """When the last of the 90 days begins."""
    return START + timedelta(days=DAYS - 1)
