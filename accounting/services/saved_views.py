"""Keeping a view of a page under a name, and forgetting it."""

from django.db import transaction
from django.db.models import Q

from accounting.domain.errors import DomainError
from accounting.models import SavedView
from accounting.models.saved_views import LONGEST_NAME, LONGEST_QUERY

#: One person keeps no more than this.
MOST_VIEWS = 100


class TooManyViewsError(DomainError):
    """Somebody keeps as many views as one may."""

    code = "too_many_views"


class BadViewError(DomainError):
    """A view without a name, or of an address that is too long."""

    code = "bad_view"


def save_view(
    *, organization_id: int, user_id: int, name: str, page: str, query: str, is_shared: bool
) -> int:
    """Keep a page's parameters under a name, in place of the person's view of that name; its id.

    Raises BadViewError and TooManyViewsError.
    """
    name = " ".join(name.replace("\0", "").split())
    if not name or len(name) > LONGEST_NAME:
        raise BadViewError(f"a view's name has 1 to {LONGEST_NAME} characters")
    if len(query) > LONGEST_QUERY:
        raise BadViewError(f"the address has {len(query)} characters, at most {LONGEST_QUERY}")
    with transaction.atomic():
        own = SavedView.objects.of(organization_id).filter(user_id=user_id)
        if not own.filter(name=name).exists() and own.count() >= MOST_VIEWS:
            raise TooManyViewsError(f"nobody keeps more than {MOST_VIEWS} views")
        view, _made = SavedView.objects.update_or_create(
            organization_id=organization_id,
            user_id=user_id,
            name=name,
            defaults={"page": page, "query": query, "is_shared": is_shared},
        )
    return view.pk


def remove_view(
    *, organization_id: int, user_id: int, view_id: int, may_unshare: bool
) -> str | None:
    """Forget one's own view, or with may_unshare anybody's shared one; its name, None without one."""
    mine = Q(user_id=user_id)
    view = (
        SavedView.objects.of(organization_id)
        .filter(mine | Q(is_shared=True) if may_unshare else mine, pk=view_id)
        .first()
    )
    if view is None:
        return None
    view.delete()
    return view.name
