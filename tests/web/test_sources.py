"""Sources: snippets with a key in them, the last deliveries, and an event to try it with."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounting.models import ApiKey, Import, UsageEvent
from accounting.services.tenants import create_api_key, key_of
from ingest.services.reading import read_import
from ingest.web.snippets import snippets
from tests.factories import ImportFactory, MembershipFactory, ProjectFactory

SENDING = (Path(__file__).parents[2] / "docs" / "sending.md").read_text()
POLL = {"HX-Request": "true"}
#: When the event of the guide's first snippet starts.
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture
def key(organization, project):
    create_api_key(
        organization_id=organization.pk, project_id=project.pk, name="gateway", scopes=["ingest"]
    )
    return ApiKey.objects.get()


def test_the_event_of_the_snippet_is_of_this_moment(page):
    text = page.get("/sources/").content.decode()
    (told,) = re.findall(r"started_at&quot;: &quot;(2[\dT:-]+Z)&quot;", text)
    age = timezone.now() - datetime.fromisoformat(told)
    assert timedelta(0) <= age < timedelta(minutes=10)


@pytest.mark.parametrize(
    "snippet", snippets("http://127.0.0.1:8400", "", NOON), ids=lambda one: one.name
)
def test_every_snippet_is_one_that_the_guide_executes(snippet):
    assert snippet.text in SENDING


def test_a_key_is_made_and_stands_in_the_snippets(page, project):
    text = page.post(
        "/sources/", {"name": "gateway", "project": project.pk, "scopes": ["ingest"]}
    ).content.decode()
    key = re.search(r'id="new-key">(tb_[\w-]+)<', text)[1]
    assert key_of(key).name == "gateway"
    assert f"Authorization: Bearer {key}" in text
    assert f"Authorization=Bearer%20{key}" in text
    assert "YOUR-KEY" not in text
    assert key not in page.get("/sources/").content.decode()


def test_a_key_without_a_name_is_refused_in_words(page, project):
    answer = page.post("/sources/", {"name": "", "project": project.pk, "scopes": ["ingest"]})
    assert answer.status_code == 422
    assert "This field is required." in answer.content.decode()


def test_a_test_event_arrives_is_read_and_counts_nothing(page, organization):
    ProjectFactory(organization=organization, slug="default")
    answer = page.post("/sources/test")
    source = Import.objects.get()
    assert answer.headers["Location"] == f"/sources/?import={source.pk}#deliveries"
    watching = page.get(f"/sources/?import={source.pk}").content.decode()
    assert "An event arrived: waiting to be read" in watching
    assert 'hx-trigger="load delay:1s"' in watching

    read_import(source.pk, seconds=20)
    text = page.get(f"/sources/?import={source.pk}", headers=POLL).content.decode()
    assert "An event arrived and was read" in text
    assert "hx-get" not in text
    assert "<html" not in text
    source.refresh_from_db()
    assert (source.state, source.lines, source.skipped) == ("done", 1, 1)
    assert not UsageEvent.objects.exists()


def test_the_page_waits_for_the_first_event_of_a_key(page, organization, key):
    ImportFactory(organization=organization)
    address = f"/sources/?key={key.pk}"
    assert "Waiting for the first event…" in page.get(address).content.decode()
    ApiKey.objects.update(last_used_at=timezone.now())
    assert "The key was used; nothing that counts" in page.get(address).content.decode()
    ImportFactory(organization=organization, api_key=key)
    assert "An event arrived and was read" in page.get(address).content.decode()


def test_a_test_event_leaves_the_new_key_on_the_page_and_the_page_waiting_for_it(
    page, organization, key
):
    ProjectFactory(organization=organization, slug="default")
    answer = page.post("/sources/test", {"key": key.pk}, headers=POLL)
    source = Import.objects.get()
    assert answer.headers["Location"] == f"/sources/?import={source.pk}&key={key.pk}#deliveries"
    read_import(source.pk, seconds=20)
    address = f"/sources/?import={source.pk}&key={key.pk}"
    text = page.get(address, headers=POLL).content.decode()
    assert text.lstrip().startswith('<section class="card" id="deliveries"')
    assert "An event arrived and was read" in text
    assert f'hx-get="/sources/?poll=1&amp;key={key.pk}&amp;import={source.pk}"' in text
    ImportFactory(organization=organization, api_key=key)
    assert "hx-get" not in page.get(address, headers=POLL).content.decode()


def test_an_event_that_was_refused_is_not_green(page, organization):
    ImportFactory(organization=organization, state="failed", reason="no known format")
    text = page.get("/sources/").content.decode()
    assert "An event arrived: refused" in re.sub(r"<[^>]*>", "", text)


def test_deliveries_say_what_became_of_each(page, organization, key):
    came = timezone.now() - timedelta(minutes=1)
    ImportFactory(
        organization=organization, api_key=key, format="native", lines=12, recorded=9, duplicates=3,
        received_at=came, finished_at=came + timedelta(seconds=4),
    )  # fmt: skip
    ImportFactory(organization=organization, door="upload", name="by-hand.jsonl")
    text = re.sub(r"<[^>]*>", " ", page.get("/sources/").content.decode())
    assert "gateway native done 12 9 3 0 0 4 s" in " ".join(text.split())
    assert "by-hand" not in text


def test_another_organizations_deliveries_are_not_shown(client, page, organization):
    ImportFactory(organization=organization, name="heliotrope.jsonl")
    client.force_login(MembershipFactory(role="owner").user)
    assert "heliotrope" not in client.get("/sources/").content.decode()


def test_who_may_only_look_sends_no_test_event(client, organization):
    client.force_login(MembershipFactory(role="viewer", organization=organization).user)
    assert client.post("/sources/test").status_code == 403
    assert "Send a test event" not in client.get("/sources/").content.decode()
