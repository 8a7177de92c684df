"""A signed-in member of an organization, and its books with something in them."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone, translation

from tests.factories import (
    ImportFactory,
    MembershipFactory,
    ProjectFactory,
    RejectionFactory,
    SessionTotalFactory,
    UsageHourFactory,
)


@pytest.fixture(autouse=True)
def language():
    """English, whatever language the test before read its last page in."""
    with translation.override("en"):
        yield


@pytest.fixture
def member(db):
    return MembershipFactory(role="owner")


@pytest.fixture
def organization(member):
    return member.organization


@pytest.fixture
def page(client, member):
    """A client signed in as the member."""
    client.force_login(member.user)
    return client


@pytest.fixture
def hour():
    """The start of an hour that is over and lies in this month: in any month's first hour, this one."""
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    return now - timedelta(hours=1) if now.day > 1 or now.hour else now


@pytest.fixture
def project(organization):
    return ProjectFactory(organization=organization, slug="search", name="Search")


@pytest.fixture
def books(organization, project, hour):
    """One priced model, one without a price, one session and one import."""
    common = {"organization": organization, "hour": hour, "project_id": project.pk}
    UsageHourFactory(
        **common,
        model="claude-sonnet-4-5",
        requests=6,
        input_tokens=80_660,
        cache_read_input_tokens=55_340,
        cache_write_input_tokens=20_900,
        output_tokens=1_154,
        cost=Decimal("0.192177"),
    )
    UsageHourFactory(
        **common,
        model="house-model",
        currency="",
        requests=2,
        input_tokens=300,
        output_tokens=30,
        unpriced_requests=2,
        unpriced_tokens=330,
    )
    SessionTotalFactory(
        organization=organization,
        session_id="s-1",
        started_at=hour,
        input_tokens=80_660,
        cache_read_input_tokens=55_340,
        output_tokens=1_154,
        cost=Decimal("0.192177"),
    )
    source = ImportFactory(organization=organization, lines=3, recorded=2, rejected=1)
    RejectionFactory(source_import=source, line=3, reason="input_tokens = -1, expected >= 0")
    return organization
