"""Who asks, and for which organization: an API key, or a signed-in member."""

from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounting.api.buckets import refuse_too_many_wrong_keys
from accounting.api.problems import NO_KEY, REALM, ProblemError
from accounting.domain.roles import PUSHING, READING, allows
from accounting.models import ApiKey, Organization, Project
from accounting.services import tenants


def key_of(request: HttpRequest) -> ApiKey | None:
    """The key in `Authorization: Bearer …` or in `X-Api-Key`, None where the request brings none.

    Raises ProblemError for a key that is unknown, expired or revoked, and where too many such come.
    """
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    text = value.strip() if scheme.lower() == "bearer" else request.headers.get("X-Api-Key")
    if text is None:
        return None
    key = tenants.key_of(text)
    if key is None:
        refuse_too_many_wrong_keys(request.META.get("REMOTE_ADDR", ""))
        raise ProblemError("bad_key", "the API key is unknown, expired or revoked")
    return key


def key_for(request: HttpRequest, scopes: frozenset[str]) -> ApiKey:
    """The key of a door that only programs use. Raises ProblemError unless one of scopes is its."""
    key = key_of(request)
    if key is None:
        raise ProblemError("unauthenticated", NO_KEY)
    refuse_unless_allowed(key, scopes)
    return key


def refuse_unless_allowed(key: ApiKey, scopes: frozenset[str]) -> None:
    """ProblemError unless one of scopes is the key's."""
    if not allows(key.scopes, scopes):
        wanted, has = (" or ".join(sorted(some)) for some in (scopes, key.scopes))
        raise ProblemError("missing_scope", f"this takes a key with the scope {wanted}, not {has}")


class ApiKeyAuthentication(BaseAuthentication):
    """The key that a request brings."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        """No user but the key; None where the request brings none."""
        key = key_of(request._request)  # noqa: SLF001  the framework's has no headers of its own
        return None if key is None else (None, key)

    def authenticate_header(self, _request: Request) -> str:
        """What a 401 asks for."""
        return REALM


class MayRead(BasePermission):
    """Keys need the scope read (or admin), people a membership."""

    scopes = READING

    def has_permission(self, request: Request, _view: object) -> bool:
        """Whether the caller may see its organization's books; False for a stranger."""
        if isinstance(request.auth, ApiKey):
            refuse_unless_allowed(request.auth, self.scopes)
            return True
        if isinstance(request.user, User) and organization_of(request) is None:
            raise ProblemError("no_organization", "you belong to no organization here")
        return isinstance(request.user, User)


class MayReadOrPush(MayRead):
    """Also a key that may only push: it may ask what became of what it sent."""

    scopes = READING | PUSHING


def organization_of(request: Request) -> Organization | None:
    """The organization that the caller's key or membership names; None for strangers."""
    if isinstance(request.auth, ApiKey):
        return request.auth.organization
    return tenants.organization_of(request.user) if isinstance(request.user, User) else None


def only_project_of(request: Request) -> Project | None:
    """The one project that the caller may see, None for all of the organization's."""
    key = request.auth
    return key.project if isinstance(key, ApiKey) and key.is_limited else None


def key_that_only_pushes(request: Request) -> int | None:
    """The id of a key that may see nothing but what it sent itself, else None."""
    key = request.auth
    return key.pk if isinstance(key, ApiKey) and not allows(key.scopes, READING) else None
