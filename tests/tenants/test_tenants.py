"""Organizations, keys and sign-in links."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from django.contrib.auth.models import User

from accounting.models import ApiKey, Organization, Project
from accounting.services.tenants import (
    UnknownCurrencyError,
    UnknownScopeError,
    UnknownZoneError,
    configure,
    create_api_key,
    create_project,
    ensure_defaults,
    key_of,
    new_sign_in_link,
    organization_of,
    use_sign_in_link,
)

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@pytest.fixture
def organization():
    return ensure_defaults()


@pytest.fixture
def project(organization):
    return Project.objects.of(organization.pk).get()


def make_key(organization, project, **overrides):
    wanted = {"name": "ci", "scopes": ["ingest"], **overrides}
    return create_api_key(organization_id=organization.pk, project_id=project.pk, **wanted)


def test_the_defaults_are_made_once(organization):
    assert ensure_defaults() == organization
    assert (Organization.objects.count(), Project.objects.count(), User.objects.count()) == (
        1,
        1,
        1,
    )
    assert organization_of(User.objects.get()) == organization


def test_only_the_digest_of_a_key_is_kept(organization, project):
    key = make_key(organization, project)

    stored = ApiKey.objects.get()
    assert bytes(stored.digest) == sha256(key.encode()).digest()
    assert key.startswith(stored.prefix)
    assert key_of(key).pk == stored.pk


def test_a_revoked_an_expired_and_an_unknown_key_open_nothing(organization, project):
    revoked = make_key(organization, project)
    ApiKey.objects.update(revoked_at=NOW)
    expired = make_key(organization, project, name="old")
    ApiKey.objects.filter(name="old").update(expires_at=NOW)

    assert key_of(revoked, NOW) is None
    assert key_of(expired, NOW) is None
    assert key_of("tb_guess", NOW) is None


def test_the_use_of_a_key_is_noted_at_most_once_a_minute(organization, project):
    key = make_key(organization, project)
    for seconds in (0, 30, 61):
        key_of(key, NOW + timedelta(seconds=seconds))

    assert ApiKey.objects.get().last_used_at == NOW + timedelta(seconds=61)


def test_a_scope_that_does_not_exist_is_refused(organization, project):
    with pytest.raises(UnknownScopeError):
        make_key(organization, project, scopes=["everything"])


def test_a_key_of_another_organizations_project_cannot_be_made(organization, project):
    other = Organization.objects.create(slug="other", name="Other")
    with pytest.raises(Project.DoesNotExist):
        make_key(other, project)


def test_a_sign_in_link_works_once(organization):
    token = new_sign_in_link(NOW).split("/")[2]

    assert use_sign_in_link(token, NOW).username == "owner"
    assert use_sign_in_link(token, NOW) is None


def test_a_sign_in_link_expires_within_the_hour(organization):
    token = new_sign_in_link(NOW).split("/")[2]

    assert use_sign_in_link(token, NOW + timedelta(minutes=60)) is None


@pytest.mark.parametrize(
    ("currency", "zone", "error"),
    [
        ("usd", "UTC", UnknownCurrencyError),
        ("DOLLAR", "UTC", UnknownCurrencyError),
        ("USD", "Mars/Olympus", UnknownZoneError),
        ("USD", "../etc/passwd", UnknownZoneError),
    ],
)
def test_a_wrong_currency_or_zone_is_refused(organization, currency, zone, error):
    with pytest.raises(error):
        configure(organization_id=organization.pk, currency=currency, time_zone=zone)


def test_currency_and_zone_are_chosen(organization):
    chosen = configure(
        organization_id=organization.pk, currency="CNY", time_zone="Asia/Shanghai", now=NOW
    )

    assert (chosen.currency, chosen.time_zone, chosen.configured_at) == (
        "CNY",
        "Asia/Shanghai",
        NOW,
    )


def test_projects_with_names_in_any_script_get_a_slug_of_their_own(organization):
    assert create_project(organization_id=organization.pk, name="Search Team").slug == "search-team"
    assert create_project(organization_id=organization.pk, name="搜索").slug.startswith("project-")
