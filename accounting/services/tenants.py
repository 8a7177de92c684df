"""Organizations, their people and keys: made, found, configured."""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from zoneinfo import ZoneInfo, available_timezones

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.text import slugify

from accounting.domain.currencies import CURRENCIES, UnknownCurrencyError
from accounting.domain.errors import DomainError
from accounting.models import (
    ApiKey,
    Membership,
    Organization,
    Project,
    SignInLink,
    UsageEvent,
)
from accounting.models.tenants import SCOPES
from accounting.services.locks import lock_books
from accounting.services.rollups import change_time_zone

KEY_PREFIX = "tb_"
LINK_LIFETIME = timedelta(hours=1)
OWNER = "owner"
#: What is called so until its first reader has been asked.
FIRST_NAME = "My organization"
FIRST_PROJECT = "Default project"


class UnknownZoneError(DomainError):
    """A name is no IANA time zone."""

    code = "unknown_time_zone"


class CurrencyInUseError(DomainError):
    """Costs are booked in the currency of the books, which would mean something else in another."""

    code = "currency_in_use"


class UnknownScopeError(DomainError):
    """A key was asked for with a scope that does not exist."""

    code = "unknown_scope"


def ensure_defaults() -> Organization:
    """The default organization, made with its project and its owner if there is none; repeatable."""
    with transaction.atomic():
        organization, _ = Organization.objects.get_or_create(
            slug="default", defaults={"name": FIRST_NAME}
        )
        Project.objects.get_or_create(
            organization=organization, slug="default", defaults={"name": FIRST_PROJECT}
        )
        owner, made = User.objects.get_or_create(
            username=OWNER, defaults={"is_staff": False, "is_superuser": False}
        )
        if made:
            owner.set_unusable_password()
            owner.save(update_fields=["password"])
        Membership.objects.get_or_create(
            organization=organization, user=owner, defaults={"role": "owner"}
        )
        return organization


def default_organization() -> Organization:
    """The organization of commands that name none. Raises DoesNotExist before `ensure_defaults`."""
    return Organization.objects.get(slug="default")


def default_project(organization_id: int) -> Project:
    """The project of usage that nothing attributes to another."""
    return Project.objects.of(organization_id).get(slug="default")


def membership_of(user: User) -> Membership | None:
    """What a person may do in the organization they work in: the first they joined, None for a stranger."""
    return (
        Membership.objects.filter(user=user).select_related("organization").order_by("pk").first()
    )


def organization_of(user: User) -> Organization | None:
    """The organization a person works in, None for a stranger."""
    membership = membership_of(user)
    return membership.organization if membership else None


def configure(
    *,
    organization_id: int,
    currency: str,
    time_zone: str,
    week_start: int | None = None,
    now: datetime | None = None,
) -> Organization:
    """Choose an organization's currency and zone, as its first sign-in asks.

    week_start: the weekday on which weeks begin, Monday is 0; None leaves it.

    Raises UnknownZoneError and UnknownCurrencyError, and CurrencyInUseError for another currency once
    anything has a cost: every event, rollup and revision keeps its cost in the one it was booked in.
    Rollups that exist are cut anew for another zone.
    """
    if time_zone not in available_timezones():
        raise UnknownZoneError(
            f"{time_zone[:64]!r} is no time zone, expected a name as Asia/Shanghai"
        )
    ZoneInfo(time_zone)
    if currency not in CURRENCIES:
        raise UnknownCurrencyError(f"{currency[:12]!r} is no currency, expected ISO 4217 as USD")
    with transaction.atomic():
        # NO KEY: rows that refer to it hold its key and may wait for the shards taken below.
        organization = Organization.objects.select_for_update(no_key=True).get(pk=organization_id)
        if organization.currency != currency:
            # Who posts meanwhile reads the currency once it has its locks.
            lock_books(organization_id)
            _refuse_booked(organization, currency)
        organization.currency = currency
        organization.configured_at = organization.configured_at or now or timezone.now()
        if week_start is not None:
            organization.week_start = week_start
        organization.save(update_fields=["currency", "configured_at", "week_start"])
        if organization.time_zone != time_zone:
            change_time_zone(organization_id=organization_id, time_zone=time_zone)
        organization.refresh_from_db()
        return organization


def rename_organization(*, organization_id: int, name: str) -> None:
    """Give an organization another name; its slug stays."""
    Organization.objects.filter(pk=organization_id).update(name=name)


def name_first(*, organization_id: int, name: str, project: str) -> None:
    """Call what start-up named in English as its first reader would; what people named stays."""
    Organization.objects.filter(pk=organization_id, name=FIRST_NAME).update(name=name)
    Project.objects.of(organization_id).filter(slug="default", name=FIRST_PROJECT).update(
        name=project
    )


def _refuse_booked(organization: Organization, currency: str) -> None:
    if UsageEvent.objects.of(organization.pk).filter(cost__isnull=False).exists():
        raise CurrencyInUseError(
            f"costs are booked in {organization.currency}, so the books stay in it: undo the imports"
            f" first to keep them in {currency}"
        )


def create_api_key(
    *,
    organization_id: int,
    project_id: int,
    name: str,
    scopes: list[str],
    is_limited: bool = False,
    expires_at: datetime | None = None,
) -> str:
    """Make a key and return it: the only time it can be seen, for only its digest is kept.

    is_limited: to its project, in what it reads and in what it writes.
    """
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise UnknownScopeError(f"scopes are {', '.join(SCOPES)}; got {sorted(unknown)}")
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    project = Project.objects.of(organization_id).get(pk=project_id)
    ApiKey.objects.create(
        organization_id=organization_id,
        project=project,
        name=name,
        prefix=key[:10],
        digest=_digest(key),
        scopes=sorted(scopes),
        is_limited=is_limited,
        expires_at=expires_at,
    )
    return key


def key_named(*, organization_id: int, name: str) -> ApiKey:
    """An organization's key by its name. Raises ApiKey.DoesNotExist."""
    return ApiKey.objects.of(organization_id).get(name=name)


def revoke_api_key(*, organization_id: int, key_id: int, now: datetime | None = None) -> bool:
    """Make a key open nothing from now on; whether it opened anything until now.

    What it sent stays in the books. Raises ApiKey.DoesNotExist for another organization's key.
    """
    with transaction.atomic():
        key = ApiKey.objects.of(organization_id).select_for_update().get(pk=key_id)
        if key.revoked_at is not None:
            return False
        key.revoked_at = now or timezone.now()
        key.save(update_fields=["revoked_at"])
        return True


def key_of(text: str, now: datetime | None = None) -> ApiKey | None:
    """The key that a caller presents, None unless it is valid now; notes its use once a minute.

    Found by digest, so that nothing about a wrong key can be learnt from the time it takes.
    """
    now = now or timezone.now()
    key = (
        ApiKey.objects.filter(digest=_digest(text), revoked_at=None)
        .filter(Q(expires_at=None) | Q(expires_at__gt=now))
        .select_related("organization", "project")
        .first()
    )
    if key and (key.last_used_at is None or now - key.last_used_at > timedelta(minutes=1)):
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return key


def create_project(*, organization_id: int, name: str) -> Project:
    """A new project, its slug made from its name."""
    slug = slugify(name)[:80] or f"project-{secrets.token_hex(4)}"
    return Project.objects.create(organization_id=organization_id, slug=slug, name=name)


def new_sign_in_link(now: datetime | None = None) -> str:
    """The path of a link that signs the owner in once, within the hour."""
    token = secrets.token_urlsafe(24)
    now = now or timezone.now()
    SignInLink.objects.create(
        digest=_digest(token),
        user=User.objects.get(username=OWNER),
        expires_at=now + LINK_LIFETIME,
    )
    return f"/sign-in/{token}/"


def use_sign_in_link(token: str, now: datetime | None = None) -> User | None:
    """The person a link signs in, the first time it is used and before it expires; else None."""
    now = now or timezone.now()
    used = SignInLink.objects.filter(
        digest=_digest(token), used_at=None, expires_at__gt=now
    ).update(used_at=now)
    if not used:
        return None
    return SignInLink.objects.select_related("user").get(digest=_digest(token)).user


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
