"""Every number of every page is what REST answers to the same address."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client
from django.utils import timezone

from accounting.models import Organization, Project
from accounting.queries.filters import usage_filter
from accounting.services.builtin_prices import load_builtin
from accounting.services.tenants import create_api_key
from tests.access.table import pages
from tests.browser import books
from tests.web.numbers.reading import numbers_of
from tests.web.numbers.rest import Rest
from tests.web.numbers.seen import Seen
from tests.web.numbers.walk import WALK, WITHOUT, address

NOW = datetime(2026, 11, 30, 12, 20, tzinfo=UTC)
PUSHED = (
    '{"id": "pushed", "started_at": "2026-11-29T10:00:00Z", "model": "opal", "input_tokens": 7}'
)


@pytest.fixture
def client(db, monkeypatch):
    """A reader of the sample at a fixed moment; something was pushed too."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    load_builtin()
    organization = books.sample()
    project = Project.objects.of(organization.pk).get(slug="default")
    key = create_api_key(
        organization_id=organization.pk, project_id=project.pk, name="pusher", scopes=["ingest"]
    )
    pushed = Client().post(
        "/api/v1/events?wait=true", PUSHED, "application/json", headers={"X-Api-Key": key}
    )
    assert pushed.status_code == 200, pushed.content
    client = Client()
    client.force_login(User.objects.get(username="sample"))
    return client


def test_every_page_is_walked_or_says_no_number():
    assert {stop.route for stop in WALK} | set(WITHOUT) == pages()


def test_every_number_is_that_of_rest(client):
    """All of it in one test: the books are filled once, which takes longer than the walk."""
    wrong = []
    for stop in WALK:
        opened, query = address(client, stop)
        answer = client.get(opened)
        assert answer.status_code == 200, opened
        seen = seen_of(client, answer.content.decode(), query)
        try:
            stop.compare(seen)
            seen.is_all_compared()
        except AssertionError as error:
            wrong.append(f"{opened}: {error}")
    assert not wrong, "\n".join(wrong)


def seen_of(client, page, query):
    organization = Organization.objects.get(slug="sample")
    asked = {"tz": QueryDict(query).getlist("tz")} if "tz=" in query else {}
    zone = usage_filter(asked, organization, NOW).zone
    return Seen(Rest(client, organization.currency), query, numbers_of(page), zone)
