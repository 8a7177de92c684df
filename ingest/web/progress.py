"""How far an import is, in words and numbers for its page."""

from dataclasses import dataclass

from django.db.models import Q, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.models import Import
from accounting.models.imports import UNFINISHED_IMPORTS
from ingest.models import InboxChunk

STATES: dict[str, tuple[Promise, str]] = {
    "receiving": (_("arriving"), ""),
    "ready": (_("waiting to be read"), ""),
    "reading": (_("being read"), ""),
    "done": (_("done"), "good"),
    "failed": (_("refused"), "danger"),
    "quarantined": (_("set aside"), "danger"),
    "undone": (_("undone"), "caution"),
}
#: Doubts that a reader has about lines it counted.
WARNINGS: dict[str, Promise] = {
    "disjoint_input": _("its input leaves out the cached tokens, which were added"),
    "in_future": _(
        "starts later than a day from now: see whether the clock of what wrote the log is right, and"
        " whether its times are in seconds or milliseconds; it counts on its own day, which All shows"
    ),
    "inconsistent_timing": _("times that contradict each other"),
    "inconsistent_total": _("the total it reports is not the sum of what it lists"),
    "likely_seconds": _("times that look like seconds where milliseconds belong"),
    "more_cached_than_input": _("more tokens from the cache than were put in"),
    "parts_left_out": _("other parts of the record were not read"),
    "uncertain_convention": _("it does not say whether its input includes the cached tokens"),
}
QUARTER = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What was read of an import. percent: of its bytes; None while they are not all here.

    state, tone: in words, and the colour of the chip.
    """

    state: Promise
    tone: str
    percent: int | None
    is_over: bool
    lines: int

    @property
    def quarter(self) -> int:
        """The last quarter passed: what is spoken, so that a listener is not told every second."""
        return (self.percent or 0) // QUARTER * QUARTER


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A doubt about lines that were counted. places: file inside the input and line, of the first."""

    code: str
    meaning: Promise | str
    lines: int
    places: tuple[tuple[str, int], ...]

    @property
    def has_more(self) -> bool:
        """Whether more lines have it than are named."""
        return self.lines > len(self.places)


def progress_of(source: Import) -> Progress:
    """An import's progress. One statement while it is under way, none after."""
    state, tone = STATES[source.state]
    is_over = source.state not in UNFINISHED_IMPORTS
    return Progress(
        state=state,
        tone=tone,
        percent=100 if is_over else _percent(source),
        is_over=is_over,
        lines=source.lines,
    )


def _percent(source: Import) -> int | None:
    if source.state == "receiving":
        return None
    chunks = InboxChunk.objects.of(source.organization_id).filter(source_import=source)
    found = chunks.aggregate(
        whole=Sum("size", default=0), read=Sum("size", filter=Q(state="done"), default=0)
    )
    return int(found["read"] * 100 // found["whole"]) if found["whole"] else 0
