"""Who may see a page: a signed-in member of an organization whose books are set up."""

from collections.abc import Callable
from functools import wraps
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from accounting.models import Organization
from accounting.services import tenants

type Page = Callable[..., HttpResponse]


def organization_of(request: HttpRequest) -> Organization:
    """The signed-in person's organization; PermissionDenied for who belongs to none."""
    user = request.user
    organization = tenants.organization_of(user) if isinstance(user, User) else None
    if organization is None:
        raise PermissionDenied("you belong to no organization")
    return organization


def for_member(page: Page) -> Page:
    """Give the page its reader's organization, in whose time zone it is written.

    A person whose organization has neither zone nor currency yet is sent to choose them.
    """

    @wraps(page)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        organization = organization_of(request)
        if organization.configured_at is None:
            return redirect("welcome")
        with timezone.override(ZoneInfo(organization.time_zone)):
            return page(request, organization, *args, **kwargs)

    return guarded
