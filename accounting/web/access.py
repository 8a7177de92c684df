"""Who may see a page, and who may change what it shows: members, by their role."""

from collections.abc import Callable
from functools import wraps
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from accounting.domain.roles import MAY, may
from accounting.models import Membership, Organization
from accounting.queries.saved_views import FoundView, saved_views
from accounting.services import tenants

type Page = Callable[..., HttpResponse]

#: Where a request keeps its membership: guard, frame and views ask for the same.
_KEPT = "tallybook_membership"
SAFE = ("GET", "HEAD", "OPTIONS")


def membership_of(request: HttpRequest) -> Membership:
    """The signed-in person's membership; PermissionDenied for who belongs to no organization."""
    membership = _membership(request)
    if membership is None:
        raise PermissionDenied(_("You belong to no organization here. An owner can let you in."))
    return membership


def powers_of(request: HttpRequest) -> dict[str, bool]:
    """What the reader may change, by the names of MAY; nothing for a stranger."""
    membership = _membership(request)
    role = membership.role if membership else ""
    return {what: may(role, what) for what in MAY}


def views_of(request: HttpRequest) -> tuple[FoundView, ...]:
    """The saved views that the reader finds; none for a stranger."""
    membership = _membership(request)
    if membership is None:
        return ()
    return saved_views(membership.organization_id, membership.user_id)


def refuse_unless(membership: Membership, what: str) -> None:
    """PermissionDenied, saying who may, unless the member's role may change this."""
    if not may(membership.role, what):
        raise PermissionDenied(_refusal(membership.role, what))


def for_member(page: Page) -> Page:
    """Give the page its reader's organization, in whose time zone it is written.

    A person whose organization has neither zone nor currency yet is sent to choose them.
    """
    return _guarded(page, "")


def changes(what: str) -> Callable[[Page], Page]:
    """As for_member, for a page that changes something: whoever may not can look but not post.

    what: a name of MAY.
    """
    assert what in MAY  # noqa: S101
    return lambda page: _guarded(page, what)


def _guarded(page: Page, what: str) -> Page:
    @wraps(page)
    def guarded(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        membership = membership_of(request)
        organization: Organization = membership.organization
        if what and request.method not in SAFE:
            refuse_unless(membership, what)
        if organization.configured_at is None:
            return redirect("welcome")
        with timezone.override(ZoneInfo(organization.time_zone)):
            return page(request, organization, *args, **kwargs)

    return guarded


def _membership(request: HttpRequest) -> Membership | None:
    """Asked for once in a request."""
    if not hasattr(request, _KEPT):
        user = request.user
        found = tenants.membership_of(user) if isinstance(user, User) else None
        setattr(request, _KEPT, found)
    kept: Membership | None = getattr(request, _KEPT)
    return kept


def _refusal(role: str, what: str) -> Promise:
    allowed = ", ".join(sorted(MAY[what]))
    return format_lazy(
        _("Your role here is {role}. This takes one of: {allowed}. An owner can change your role."),
        role=role,
        allowed=allowed,
    )
