"""Who asks, and for which organization: an API key, or a signed-in member."""

from django.contrib.auth.models import User
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounting.models import ApiKey, Organization
from accounting.services import tenants

READING = frozenset({"read", "admin"})


class ApiKeyAuthentication(BaseAuthentication):
    """A key in `Authorization: Bearer …` or in `X-Api-Key`."""

    def authenticate(self, request: Request) -> tuple[None, ApiKey] | None:
        """No user but the key; None where the request brings none.

        Raises AuthenticationFailed for a key that is unknown, expired or revoked.
        """
        text = _presented(request)
        if text is None:
            return None
        key = tenants.key_of(text)
        if key is None:
            raise AuthenticationFailed("the API key is unknown, expired or revoked", "bad_key")
        return None, key

    def authenticate_header(self, _request: Request) -> str:
        """What a 401 asks for."""
        return 'Bearer realm="Tallybook"'


class MayRead(BasePermission):
    """Keys need the scope read (or admin), people a membership."""

    message = "reading needs a key with the scope read, or membership of an organization"

    def has_permission(self, request: Request, _view: object) -> bool:
        """Whether the caller may see its organization's books."""
        if isinstance(request.auth, ApiKey):
            return not READING.isdisjoint(request.auth.scopes)
        return organization_of(request) is not None


def organization_of(request: Request) -> Organization | None:
    """The organization that the caller's key or membership names; None for strangers."""
    if isinstance(request.auth, ApiKey):
        return request.auth.organization
    return tenants.organization_of(request.user) if isinstance(request.user, User) else None


def _presented(request: Request) -> str | None:
    scheme, _, value = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    return request.headers.get("X-Api-Key")
