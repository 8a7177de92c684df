"""A question that would read too many requests is refused in words by every page, and over REST by a code."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.factories import MembershipFactory, api_key
from tests.queries.posted import posted, priced_organization
from tests.web.october import OCTOBER

pytestmark = pytest.mark.django_db
PAGES = ("/", "/explore/", "/cache/", "/sessions/", "/sessions/spread/", "/requests/")
ANSWERS = ("usage", "sessions", "requests", "cache", "change", "latency")


@pytest.fixture
def organization(settings):
    organization = priced_organization()
    posted(organization, *({"session_id": "s1"} for _ in range(3)))
    settings.MOST_REQUESTS_READ = 2
    return organization


@pytest.fixture
def person(client, organization):
    client.force_login(MembershipFactory(organization=organization, role="owner").user)
    return client


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_how_many_it_would_read(person, page):
    answer = person.get(f"{page}?{OCTOBER}&operation=chat")
    assert answer.status_code == 400
    assert "requests would be read one by one, at most 2: ask for fewer days" in (
        answer.content.decode()
    )
    assert person.get(f"{page}?{OCTOBER}&team=red").status_code == 200


@pytest.mark.parametrize("page", PAGES)
def test_a_page_that_reads_requests_says_so_once(person, settings, page):
    settings.MOST_REQUESTS_READ = 0
    slow = person.get(f"{page}?{OCTOBER}&operation=chat").content.decode()
    assert slow.count("slow: many rows were read") == 1
    quick = person.get(f"{page}?{OCTOBER}&team=red").content.decode()
    assert "slow: many rows were read" not in quick


@pytest.mark.parametrize("page", ["/?whole=yes&", "/overview/month/?"])
def test_the_days_before_a_projected_month_are_read_too(person, organization, page):
    posted(organization, *({} for _ in range(3)), at=timezone.now() - timedelta(days=1))
    answer = person.get(f"{page}from=2020-01-01&to=2020-01-02&operation=chat")
    assert answer.status_code == 400
    assert "would be read one by one" in answer.content.decode()
    assert person.get(f"{page}from=2020-01-01&to=2020-01-02&team=red").status_code == 200


@pytest.mark.parametrize("page", ["/", "/explore/"])
def test_a_single_day_is_drawn_by_hours_of_which_none_keeps_teams(person, page):
    answer = person.get(f"{page}?from=2026-10-01&to=2026-10-02&team=red")
    assert answer.status_code == 400
    assert "would be read one by one" in answer.content.decode()
    assert person.get(f"{page}?from=2026-10-01&to=2026-10-02").status_code == 200


@pytest.mark.parametrize("path", ANSWERS)
def test_a_program_is_told_a_code(client, organization, path):
    headers = {"Authorization": f"Bearer {api_key(organization)}"}
    answer = client.get(f"/api/v1/{path}?{OCTOBER}&operation=chat", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_requests_read")
    assert answer.json()["parameter"] == "from"


def test_latencies_by_project_are_read_over_rest(client, organization):
    headers = {"Authorization": f"Bearer {api_key(organization)}"}
    answer = client.get(f"/api/v1/latency?{OCTOBER}&group=project", headers=headers)
    assert answer.json()["code"] == "too_many_requests_read"
    assert client.get(f"/api/v1/latency?{OCTOBER}", headers=headers).status_code == 200


def test_the_teams_of_another_zones_days_are_read(client, organization):
    headers = {"Authorization": f"Bearer {api_key(organization)}"}
    answer = client.get(f"/api/v1/dimensions/team?{OCTOBER}&tz=Asia/Tokyo", headers=headers)
    assert answer.json()["code"] == "too_many_requests_read"
    assert client.get(f"/api/v1/dimensions/team?{OCTOBER}", headers=headers).status_code == 200


@pytest.mark.parametrize("name", ["usage", "sessions", "requests"])
def test_a_file_may_take_as_long_as_it_takes(client, organization, name):
    headers = {"Authorization": f"Bearer {api_key(organization)}"}
    answer = client.get(f"/api/v1/exports/{name}.csv?{OCTOBER}&operation=chat", headers=headers)
    assert answer.status_code == 200
    assert len(b"".join(answer.streaming_content).splitlines()) >= 1
