"""Whether a file is of the format that was asked for, where its head alone does not tell."""

from collections.abc import Sequence

from accounting.domain.usage import NOTHING_REPORTED
from ingest.formats.base import Aggregated, Counted, Format, Options, Outcome, UnreadableError
from ingest.formats.cutting import Cut, Layout, items_of


def refuse_another_format(
    known: Format, layout: Layout, first: Sequence[Cut], *, path: str, options: Options
) -> None:
    """UnreadableError not_this_format where a format finds no count and no amount.

    first: the first cut of the file, or none. A format that recognises the head need not be asked: a
    log of it may hold no usage.
    """
    for piece in first:
        items = items_of(piece, layout, path)
        if any(map(_tells_something, known.read(items, options, known.new_state()))):
            return
    reason = f"nothing at its beginning is a record of {known.title} ({known.name})"
    raise UnreadableError("not_this_format", reason)


def _tells_something(outcome: Outcome) -> bool:
    """Whether a record says how much was used: many formats take any object for a request without."""
    if isinstance(outcome, Counted):
        uses = [record.use for record in outcome.records]
        return any(use.counts != NOTHING_REPORTED or use.reported_cost for use in uses)
    return isinstance(outcome, Aggregated)
