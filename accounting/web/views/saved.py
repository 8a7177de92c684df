"""Saving the view of a page under a name, and removing one."""

from urllib.parse import urlsplit

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import Resolver404, resolve
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounting.domain.errors import DomainError
from accounting.models import Organization
from accounting.services.saved_views import remove_view, save_view
from accounting.web import refusals
from accounting.web.access import for_member, membership_of, powers_of, refuse_unless, views_of
from accounting.web.asking import PLACES
from accounting.web.returning import way_back

#: Pages whose address is a view.
PAGES = frozenset({"overview", "explore", "sessions", "sessions.spread", "requests", "cache"})


@require_POST
@for_member
def save(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Keep the page that ?next= names; sharing it takes who may change settings."""
    back = way_back(request) or "/"
    parts = urlsplit(back)
    is_shared = request.POST.get("is_shared") == "1"
    if is_shared:
        refuse_unless(membership_of(request), "settings")
    page = _page_of(parts.path)
    if page not in PAGES:
        raise Http404
    try:
        save_view(
            organization_id=organization.pk,
            user_id=request.user.pk or 0,
            name=request.POST.get("name", ""),
            page=page,
            query=_without_places(parts.query),
            is_shared=is_shared,
        )
    except DomainError as error:
        messages.error(request, refusals.told(error), extra_tags="danger")
    else:
        messages.success(request, _("The view is saved."), extra_tags="good")
    return redirect(back)


@require_POST
@for_member
def remove(request: HttpRequest, organization: Organization, view_id: int) -> HttpResponse:
    """Forget a view; one that is gone already, in another window or by another's hand, is no mistake."""
    name = remove_view(
        organization_id=organization.pk,
        user_id=request.user.pk or 0,
        view_id=view_id,
        may_unshare=powers_of(request)["settings"],
    )
    if name is None and any(view.id == view_id for view in views_of(request)):
        raise Http404  # shared by somebody, whose it stays
    said = (
        _("The view %(name)s is gone.") % {"name": name}
        if name
        else _("This view was gone already.")
    )
    messages.success(request, said, extra_tags="good")
    return redirect(way_back(request) or "/")


def _without_places(query: str) -> str:
    """The parameters that make the view; where one stood in its lists is none of it."""
    kept = QueryDict(query.replace("%00", ""), mutable=True)
    for place in PLACES:
        kept.pop(place, None)
    return kept.urlencode()


def _page_of(path: str) -> str:
    try:
        return resolve(path).url_name or ""
    except Resolver404:
        return ""
