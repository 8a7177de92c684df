"""From a page's address to its filter and back: the picker, the chips and the links of a page."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.models import Organization
from accounting.queries.filters import FilterError, UsageFilter, usage_filter
from accounting.queries.grammar import MARKS, METRICS, NONE, is_attribute
from accounting.queries.reading import check_reading, reads_requests
from accounting.web import refusals, words
from accounting.web.periods import Step, steps

PRESETS: tuple[tuple[str, Promise], ...] = (
    ("7d", _("7 days")),
    ("30d", _("30 days")),
    ("mtd", _("This month")),
    ("last_month", _("Last month")),
    ("90d", _("90 days")),
    ("12m", _("12 months")),
    ("all", _("All")),
)
#: Parameters that say which days a page is about, and which page of them.
DAYS = frozenset({"range", "from", "to"})
#: Parameters that a form about anything else leaves out, as they belong to the rows shown now.
PLACES = frozenset({"after", "page"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One condition in words, and the address without it.

    turned: the address with the opposite of it, '' where there is none.
    """

    name: str
    relation: str
    value: str
    without: str
    turned: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a page was asked.

    refusal: why the address was not understood; the filter is then that of the bare page.
    kept: parameters that a form about the days carries along, with their values. steps: the ranges
    around it. link: the page's parameters with the days as they are today.
    """

    wanted: UsageFilter
    chips: tuple[Chip, ...] = ()
    refusal: str = ""
    kept: tuple[tuple[str, str], ...] = ()
    steps: tuple[Step, ...] = ()
    link: str = ""
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
    def is_slow(self) -> bool:
        """Whether requests are read one by one for it."""
        return reads_requests(self.wanted)

    @property
    def status(self) -> int:
        """The HTTP status of the page."""
        return 400 if self.refusal else 200


def asked(
    request: HttpRequest,
    organization: Organization,
    also: tuple[str, ...] = (),
    metrics: Collection[str] = METRICS,
    check: Callable[[UsageFilter], None] = check_reading,
) -> Asked:
    """The filter in the page's address; one that can't be read is refused in words, never a crash.

    also: parameters that the page reads itself; metrics: those that it draws. check: raises FilterError for
    what the page cannot answer.
    """
    now = timezone.now()
    try:
        params = dict(request.GET.lists())
        wanted = usage_filter(params, organization, now, also=also, metrics=metrics)
        check(wanted)
    except FilterError as error:
        return Asked(
            wanted=usage_filter({}, organization, now),
            refusal=refusals.told(error),
            link=request.GET.urlencode(),
        )
    return Asked(
        wanted=wanted,
        chips=_chips(wanted, request.GET),
        kept=carried(request.GET, DAYS | PLACES),
        steps=steps(wanted, request.GET),
        link=pinned(request.GET, wanted),
    )


def carried(query: QueryDict, without: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The parameters that a form carries along: all but those it asks for itself."""
    return tuple(
        (name, value) for name, values in query.lists() if name not in without for value in values
    )


def pinned(query: QueryDict, wanted: UsageFilter) -> str:
    """The address's parameters with the days as they are today: who opens them later sees the same."""
    fixed = query.copy()
    for name in DAYS:
        fixed.pop(name, None)
    fixed["from"], fixed["to"] = wanted.start.isoformat(), wanted.end.isoformat()
    return fixed.urlencode()


def refused(question: Asked, error: FilterError) -> Asked:
    """The question with what could not be read of the page's own parameters."""
    return Asked(wanted=question.wanted, refusal=refusals.told(error), link=question.link)


def _chips(wanted: UsageFilter, query: QueryDict) -> tuple[Chip, ...]:
    return tuple(
        Chip(
            name=words.dimension(choice.name),
            relation=str(words.RELATIONS[MARKS[choice.relation]]),
            value=words.member(value),
            without=_moved(query, choice.name, MARKS[choice.relation], value),
            turned=_turned(query, choice.name, MARKS[choice.relation], value),
        )
        for choice in wanted.choices
        for value in choice.values
    )


def _turned(query: QueryDict, name: str, mark: str, value: str) -> str:
    opposite = {"": "!", "!": ""}
    if mark not in opposite:
        return ""
    return _moved(query, name, mark, value, name + opposite[mark])


def _moved(query: QueryDict, name: str, mark: str, value: str, to: str = "") -> str:
    """The address without a condition, or with it under another name."""
    # An attribute that is '' in the address is 'none' in the filter.
    empty = NONE if is_attribute(name) else ""
    left = query.copy()
    given = left.getlist(name + mark)
    left.setlist(name + mark, [other for other in given if (other or empty) != value])
    if to:
        left.appendlist(to, value)
    for place in PLACES:
        left.pop(place, None)
    return "?" + left.urlencode()
