"""What every page's frame needs: the theme and the way around."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from accounting.web.access import powers_of, views_of
from accounting.web.preferences import chosen
from accounting.web.words import DIMENSIONS, FIELDS, RELATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One entry of the left rail.

    view: a URL name, and what the names of its pages start with; also: names of other pages below it.
    """

    label: Promise
    view: str
    icon: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Entries under one heading."""

    label: Promise
    places: tuple[Place, ...]


GROUPS = (
    Group(
        label=_("Analyse"),
        places=(
            Place(label=_("Overview"), view="overview", icon="layout-dashboard"),
            Place(label=_("Explore"), view="explore", icon="compass"),
            Place(label=_("Sessions"), view="sessions", icon="messages-square"),
            Place(label=_("Cache"), view="cache", icon="zap"),
            Place(label=_("Benchmarks"), view="benchmarks", icon="gauge"),
        ),
    ),
    Group(
        label=_("Plan"),
        places=(Place(label=_("Estimate"), view="estimate", icon="calculator"),),
    ),
    Group(
        label=_("Finance"),
        places=(
            Place(label=_("Prices"), view="prices", icon="receipt-text"),
            Place(label=_("Months"), view="months", icon="calendar-check"),
        ),
    ),
    Group(
        label=_("Data"),
        places=(
            Place(label=_("Imports"), view="imports", icon="upload"),
            Place(label=_("Sources"), view="sources", icon="plug", also=("keys",)),
            Place(label=_("Requests"), view="requests", icon="list"),
            Place(label=_("Settings"), view="settings", icon="settings"),
        ),
    ),
)


def frame(request: HttpRequest) -> dict[str, object]:
    """The theme that was chosen ('' follows the system), the rail, and where the reader stands.

    may: what they may change; views: those they find; one query each, on pages that ask. dimensions,
    fields, relations: what a condition can be about. max_upload_bytes: of a file that is dropped.
    """
    match = request.resolver_match
    return {
        "theme": chosen(request)["theme"],
        "rail": GROUPS,
        "may": SimpleLazyObject(lambda: powers_of(request)),
        "here": (match.url_name or "").split(".")[0] if match else "",
        "views": SimpleLazyObject(lambda: views_of(request)),
        "dimensions": DIMENSIONS,
        "fields": FIELDS,
        "relations": RELATIONS,
        "max_upload_bytes": settings.MAX_UPLOAD_BYTES,
    }
