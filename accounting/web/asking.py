"""From a page's address to its filter and back: the picker, the chips and the links of a page."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.models import Organization
from accounting.queries.filters import RELATIONS, FilterError, UsageFilter, usage_filter

PRESETS: tuple[tuple[str, Promise], ...] = (
    ("7d", _("7 days")),
    ("30d", _("30 days")),
    ("mtd", _("This month")),
    ("last_month", _("Last month")),
    ("90d", _("90 days")),
    ("12m", _("12 months")),
    ("all", _("All")),
)
MARKS = {relation: mark for mark, relation in RELATIONS.items()}
READINGS: dict[str, Promise] = {"is": _("is"), "is_not": _("is not"), "contains": _("contains")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One condition in words, and the address without it."""

    name: str
    relation: Promise
    value: str
    without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a page was asked.

    refusal: why the address was not understood; the filter is then that of the bare page.
    kept: parameters that a form about the days carries along, with their values.
    """

    wanted: UsageFilter
    chips: tuple[Chip, ...] = ()
    refusal: str = ""
    kept: tuple[tuple[str, str], ...] = ()
    presets: tuple[tuple[str, Promise], ...] = PRESETS

    @property
    def first_day(self) -> date:
        """The first day of the range."""
        return self.wanted.start

    @property
    def last_day(self) -> date:
        """The last day of the range, included."""
        return self.wanted.end - timedelta(days=1)

    @property
    def status(self) -> int:
        """The HTTP status of the page."""
        return 400 if self.refusal else 200


def asked(request: HttpRequest, organization: Organization, also: tuple[str, ...] = ()) -> Asked:
    """The filter in the page's address; one that can't be read is refused in words, never a crash.

    also: parameters that the page reads itself.
    """
    now = timezone.now()
    try:
        wanted = usage_filter(dict(request.GET.lists()), organization, now, also=also)
    except FilterError as error:
        return Asked(wanted=usage_filter({}, organization, now), refusal=str(error))
    return Asked(wanted=wanted, chips=_chips(wanted, request.GET), kept=_kept(request.GET))


def _chips(wanted: UsageFilter, query: QueryDict) -> tuple[Chip, ...]:
    return tuple(
        Chip(
            name=choice.name,
            relation=READINGS[choice.relation],
            value=value,
            without=_without(query, choice.name + MARKS[choice.relation], value),
        )
        for choice in wanted.choices
        for value in choice.values
    )


def _without(query: QueryDict, name: str, value: str) -> str:
    left = query.copy()
    left.setlist(name, [other for other in left.getlist(name) if other != value])
    left.pop("after", None)
    return "?" + left.urlencode()


def _kept(query: QueryDict) -> tuple[tuple[str, str], ...]:
    gone = {"range", "from", "to", "after"}
    return tuple(
        (name, value) for name, values in query.lists() if name not in gone for value in values
    )
