"""Outcomes become rows: usage posted, rejections kept, the import's counters moved, all at once."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import OperationalError, transaction
from psycopg.errors import DeadlockDetected, SerializationFailure

from accounting.domain.aggregates import AggregateTotals
from accounting.domain.changes import Change
from accounting.models import Import, Rejection, Run
from accounting.services.aggregates import Kept, keep_aggregates
from accounting.services.posting import Posted, post_imports, post_usage
from ingest.formats.pieces import CUT_BYTES, CUT_RECORDS
from ingest.services.outcomes import DOUBTS_LISTED, Outcomes, Refused

#: So much of a log is booked at once. A cut is a little shorter than CUT_BYTES, and two of them would
#: take twice the memory.
BOOK_BYTES = CUT_BYTES * 3 // 4
BOOK_RECORDS = CUT_RECORDS * 3 // 4
#: Rejections beyond so many of one import are counted but not listed.
REJECTIONS_LISTED = 10_000
ATTEMPTS = 5
#: The note in an import's options of how many requests have no time of their own.
ASSUMED_TIMES = "assumed_times"
_PAUSE_S = 0.05


class RunGoneError(RuntimeError):
    """A benchmark run was undone while requests of it were being read."""


def is_enough(size: int, outcomes: Outcomes) -> bool:
    """Whether so many bytes of a log, or what they came to, are to be booked before more is read."""
    held = len(outcomes.tellings) + len(outcomes.reports) + len(outcomes.refused)
    return size >= BOOK_BYTES or held >= BOOK_RECORDS


def book(*, organization_id: int, import_id: int, outcomes: Outcomes) -> Import:
    """Post a batch and add it to its import's counters. Runs in the caller's transaction.

    One call of post_usage for the whole transaction: a second one would take its locks after the
    first one's rows, and two workers could wait for each other. The import's row is locked last.
    """
    posted = post_usage(organization_id=organization_id, tellings=outcomes.tellings)
    _check_runs(outcomes.run_ids())
    kept = keep_aggregates(
        organization_id=organization_id, import_id=import_id, lines=outcomes.reports
    )
    # NO KEY: a rejection's reference holds the import's key, and must not wait for this lock.
    source = Import.objects.of(organization_id).select_for_update(no_key=True).get(pk=import_id)
    _count(source, outcomes, posted, kept)
    return source


def book_together(*, organization_id: int, outcomes: Mapping[int, Outcomes]) -> list[Import]:
    """As `book`, for several imports at once: import id -> what its records came to, without reports.

    No two of them bring the same key, see `post_imports`. Their rows are locked last, in order.
    """
    tellings = [telling for one in outcomes.values() for telling in one.tellings]
    posted = post_imports(organization_id=organization_id, tellings=tellings)
    _check_runs({run_id for one in outcomes.values() for run_id in one.run_ids()})
    imports = Import.objects.of(organization_id).filter(pk__in=outcomes.keys()).order_by("pk")
    sources = list(imports.select_for_update(no_key=True))
    for source in sources:
        _count(source, outcomes[source.pk], posted.get(source.pk, Posted()), Kept())
    return sources


def _count(source: Import, outcomes: Outcomes, posted: Posted, kept: Kept) -> None:
    """Add what a batch came to to its import's counters; the import's row is locked."""
    refused = [*outcomes.refused, *_refused_by(posted, outcomes)]
    keep_rejections(source, refused)
    _widen(source, [*outcomes.moments(), *outcomes.periods()])
    rejected = sum(one.line is not None for one in refused)
    source.recorded += posted.recorded + kept.recorded
    source.updated += posted.updated + kept.updated
    source.duplicates += posted.duplicates + kept.duplicates
    source.conflicts += posted.conflicts
    source.skipped += outcomes.skipped
    source.rejected += rejected
    source.lines += (
        posted.recorded
        + posted.updated
        + posted.duplicates
        + posted.conflicts
        + len(outcomes.reports)
        + outcomes.skipped
        + rejected
    )
    source.change = (Change.from_json(source.change) + posted.change).as_json()
    warned, summed = _warned(source, outcomes), _summed(source, outcomes, kept)
    source.options = {**source.options, **warned, **summed, **_dated(source, outcomes)}
    source.save()


def keep_rejections(source: Import, refused: Sequence[Refused]) -> None:
    """List rejections of an import, as long as there are not too many."""
    room = max(0, REJECTIONS_LISTED - source.rejected)
    Rejection.objects.bulk_create(_rejections(source, refused[:room]), batch_size=500)


def readable(text: str, limit: int) -> str:
    """Text as PostgreSQL can store it: no NUL, no half characters, not too long."""
    plain = text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return plain[:limit]


def retried[Result](change: Callable[[], Result]) -> Result:
    """Do a change in a transaction of its own, again where the database chose it as a victim."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with transaction.atomic():
                return change()
        except OperationalError as error:
            is_victim = isinstance(error.__cause__, DeadlockDetected | SerializationFailure)
            if not is_victim or attempt == ATTEMPTS:
                raise
            time.sleep(_PAUSE_S * attempt * random.uniform(0.5, 1.5))  # noqa: S311  no secret
    raise AssertionError


def _check_runs(run_ids: set[int]) -> None:
    """Raise RunGoneError where a run that these requests name was undone while they were read.

    They were read before their shards were locked, and undoing takes the locks too: whoever comes
    after it sees that the run has gone, and reads again.
    """
    if run_ids and Run.objects.filter(pk__in=run_ids).count() < len(run_ids):
        raise RunGoneError("the benchmark run was undone while this was read; read it again")


def _widen(source: Import, moments: Sequence[datetime]) -> None:
    """Note the span that an import tells of: it says where to look for what it recorded.

    Before its counters move: one that was half read before spans were kept stays without.
    """
    known = [at for at in (source.earliest_at, source.latest_at) if at is not None]
    is_first = source.lines == source.skipped + source.rejected
    if moments and (known or is_first):
        source.earliest_at = min([*known, *moments])
        source.latest_at = max([*known, *moments])


def _refused_by(posted: Posted, outcomes: Outcomes) -> Iterator[Refused]:
    """What posting would not take, at the place where it stands."""
    for refusal in posted.refused:
        origin = outcomes.origins[refusal.line]
        yield Refused(
            path=origin.path,
            line=origin.line,
            offset=origin.offset,
            code=refusal.code,
            reason=refusal.reason,
        )


def _rejections(source: Import, refused: Sequence[Refused]) -> Iterator[Rejection]:
    for one in refused:
        yield Rejection(
            organization_id=source.organization_id,
            source_import_id=source.pk,
            path=readable(one.path, 1000),
            line=one.line,
            offset=one.offset,
            code=one.code[:60],
            reason=readable(one.reason, 400),
            field=readable(one.field, 80),
            value=readable(one.value, 80),
        )


def _warned(source: Import, outcomes: Outcomes) -> dict[str, Any]:
    if not outcomes.warnings:
        return {}
    before: dict[str, int] = source.options.get("warnings", {})
    places: dict[str, list[list[Any]]] = source.options.get("warned_lines", {})
    codes = sorted({*before, *outcomes.warnings})
    return {
        "warnings": {code: before.get(code, 0) + outcomes.warnings[code] for code in codes},
        "warned_lines": {code: _places(places.get(code, []), outcomes, code) for code in codes},
    }


def _places(before: list[list[Any]], outcomes: Outcomes, code: str) -> list[list[Any]]:
    """The first lines with a doubt, each with the file inside its input."""
    found = [[readable(one.path, 1000), one.line] for one in outcomes.doubted.get(code, ())]
    return [*before, *found][:DOUBTS_LISTED]


def _dated(source: Import, outcomes: Outcomes) -> dict[str, Any]:
    """How many requests the import dated, since the file names no time of theirs."""
    found = outcomes.assumed_times()
    return {ASSUMED_TIMES: source.options.get(ASSUMED_TIMES, 0) + found} if found else {}


def _summed(source: Import, outcomes: Outcomes, kept: Kept) -> dict[str, Any]:
    """What the import changed among the aggregates so far."""
    if not outcomes.reports:
        return {}
    before = AggregateTotals.from_json(source.options.get("aggregate", {}))
    return {"aggregate": (before + kept.totals).as_json()}
