"""Who may change what: a viewer only looks."""

import re

import pytest
from django.contrib.auth.models import User

from accounting.domain.roles import MAY
from accounting.models import ApiKey, Rate
from accounting.services import tenants
from tests.factories import MembershipFactory, ProjectFactory
from tests.web.test_prices import wanted

PAGES = (
    "/",
    "/sessions/",
    "/estimate/",
    "/prices/",
    "/prices/reprice/",
    "/months/",
    "/imports/",
    "/formats/",
    "/keys/",
)
#: The language, the theme, saved views and signing out are everybody's own.
OWN = {"/settings/preferences", "/theme", "/sign-out/", "/views/save"}
CHANGES = (
    ("/prices/add", "prices"),
    ("/prices/credit-rate", "prices"),
    ("/prices/alias", "prices"),
    ("/prices/reprice/", "prices"),
    ("/months/2026-01/close", "months"),
    ("/months/2026-01/open", "months"),
    ("/keys/", "keys"),
    ("/sample-data/remove", "data"),
    ("/imports/mapping/save", "data"),
    ("/imports/mapping/columns", "data"),
)


def signed_in(client, organization, role):
    client.force_login(MembershipFactory(organization=organization, role=role).user)
    return client


@pytest.mark.parametrize("address", PAGES)
def test_a_viewer_reads_every_page_and_finds_no_form_that_changes_books(
    client, organization, books, address
):
    answer = signed_in(client, organization, "viewer").get(address)
    assert answer.status_code == 200
    assert set(re.findall(r'method="post" action="([^"]*)"', answer.text)) <= OWN
    assert answer.text.count('method="post"') == len(
        re.findall('method="post" action=', answer.text)
    )


@pytest.mark.parametrize(("address", "what"), CHANGES)
@pytest.mark.parametrize("role", ["owner", "analyst", "finance", "viewer"])
def test_a_role_changes_what_is_its_own(client, organization, address, what, role):
    answer = signed_in(client, organization, role).post(address, {})
    assert (answer.status_code == 403) == (role not in MAY[what])


def test_a_refusal_says_who_may(client, organization):
    answer = signed_in(client, organization, "viewer").post("/prices/add", wanted())
    text = answer.content.decode()
    assert "Your role here is viewer" in text
    assert "analyst, finance, owner" in text
    assert not Rate.objects.exists()


def test_finance_enters_prices_but_makes_no_keys(client, organization):
    finance = signed_in(client, organization, "finance")
    assert finance.post("/prices/add", wanted()).status_code == 302
    assert finance.post("/keys/", {}).status_code == 403


def test_a_viewer_does_not_set_the_books_up(client, organization):
    organization.configured_at = None
    organization.save()
    assert signed_in(client, organization, "viewer").get("/welcome/").status_code == 403


@pytest.fixture
def key(organization):
    project = ProjectFactory(organization=organization)
    return tenants.create_api_key(
        organization_id=organization.pk, project_id=project.pk, name="gateway", scopes=["ingest"]
    )


def test_a_revoked_key_opens_nothing_and_stays_listed(page, key):
    number = ApiKey.objects.get().pk
    text = page.post(f"/keys/{number}/revoke", follow=True).content.decode()
    assert tenants.key_of(key) is None
    assert "The key gateway opens nothing any more" in text
    assert f"/keys/{number}/revoke" not in text


def test_another_organizations_key_is_not_there(page, db):
    foreign = ProjectFactory()
    tenants.create_api_key(
        organization_id=foreign.organization_id,
        project_id=foreign.pk,
        name="theirs",
        scopes=["ingest"],
    )
    assert page.post(f"/keys/{ApiKey.objects.get().pk}/revoke").status_code == 404


def test_a_stranger_has_no_powers(client, db):
    client.force_login(User.objects.create_user("stranger"))
    answer = client.get("/")
    assert answer.status_code == 403
    assert "You belong to no organization here" in answer.content.decode()
