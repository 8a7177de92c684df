"""Who may read what."""

import pytest
from django.utils import timezone

from accounting.models import ApiKey
from tests.factories import (
    ImportFactory,
    MembershipFactory,
    OrganizationFactory,
    SessionTotalFactory,
    UsageHourFactory,
    UserFactory,
    api_key,
)

pytestmark = pytest.mark.django_db
QUESTIONS = ("usage", "sessions", "imports/1", "nowhere")


@pytest.mark.parametrize("path", QUESTIONS)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer tb_wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic dGI6dGI="},
        {"X-Api-Key": "tb_wrong"},
    ],
)
def test_without_a_valid_key_nothing_is_told(client, path, headers):
    answer = client.get(f"/api/v1/{path}", headers=headers)
    assert answer.status_code == 401
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="Tallybook"'


@pytest.mark.parametrize("change", ["revoked_at", "expires_at"])
def test_a_key_that_is_over_is_worth_nothing(client, change):
    key = api_key(OrganizationFactory())
    ApiKey.objects.update(**{change: timezone.now()})
    answer = client.get("/api/v1/usage", headers={"X-Api-Key": key})
    assert (answer.status_code, answer.json()["code"]) == (401, "bad_key")


@pytest.mark.parametrize("path", ["usage", "sessions", "estimate", "explain", "nowhere"])
def test_a_key_without_the_scope_reads_nothing(client, path):
    key = api_key(OrganizationFactory(), scopes=["ingest"])
    answer = client.get(f"/api/v1/{path}", headers={"X-Api-Key": key})
    assert (answer.status_code, answer.json()["code"]) == (403, "missing_scope")


def test_a_key_that_may_only_push_learns_what_became_of_its_own(client):
    organization = OrganizationFactory()
    key = api_key(organization, scopes=["ingest"])
    mine = ImportFactory(organization=organization, api_key=ApiKey.objects.get())
    others = [ImportFactory(organization=organization), ImportFactory()]
    headers = {"Authorization": f"Bearer {key}"}
    told = client.get(f"/api/v1/imports/{mine.pk}", headers=headers).json()
    assert (told["import_id"], told["state"]) == (mine.pk, "done")
    for other in others:
        answer = client.get(f"/api/v1/imports/{other.pk}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("scope", ["read", "admin"])
def test_a_key_reads_its_own_organization_only(client, scope):
    other = ImportFactory()
    UsageHourFactory(organization=other.organization)
    SessionTotalFactory(organization=other.organization)
    headers = {"Authorization": f"bearer {api_key(OrganizationFactory(), scopes=[scope])}"}
    days = {"range": "all"}
    assert client.get("/api/v1/usage", days, headers=headers).json()["rows"] == []
    assert client.get("/api/v1/sessions", days, headers=headers).json()["rows"] == []
    assert client.get(f"/api/v1/imports/{other.pk}", headers=headers).status_code == 404


def test_a_member_reads_with_a_session(client):
    member = MembershipFactory()
    client.force_login(member.user)
    assert client.get("/api/v1/usage").status_code == 200


def test_a_person_without_organization_reads_nothing(client):
    client.force_login(UserFactory())
    answer = client.get("/api/v1/usage")
    assert (answer.status_code, answer.json()["code"]) == (403, "no_organization")
