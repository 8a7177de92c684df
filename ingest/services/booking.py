"""Outcomes become rows: usage posted, rejections kept, the import's counters moved, all at once."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db import OperationalError, transaction
from psycopg.errors import DeadlockDetected, SerializationFailure

from accounting.domain.aggregates import AggregateTotals
from accounting.domain.changes import Change
from accounting.models import Import, Rejection
from accounting.services.aggregates import Kept, keep_aggregates
from accounting.services.posting import Posted, post_usage
from ingest.services.outcomes import Outcomes, Refused

#: Rejections beyond so many of one import are counted but not listed.
REJECTIONS_LISTED = 10_000
ATTEMPTS = 5
_PAUSE_S = 0.05


def book(*, organization_id: int, import_id: int, outcomes: Outcomes) -> Import:
    """Post a batch and add it to its import's counters. Runs in the caller's transaction.

    One call of post_usage for the whole transaction: a second one would take its locks after the
    first one's rows, and two workers could wait for each other. The import's row is locked last.
    """
    posted = post_usage(organization_id=organization_id, tellings=outcomes.tellings)
    kept = keep_aggregates(
        organization_id=organization_id, import_id=import_id, lines=outcomes.reports
    )
    refused = [*outcomes.refused, *_refused_by(posted, outcomes)]
    # NO KEY: a rejection's reference holds the import's key, and must not wait for this lock.
    source = Import.objects.of(organization_id).select_for_update(no_key=True).get(pk=import_id)
    keep_rejections(source, refused)
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
    source.options = {**source.options, **warned, **summed}
    source.save()
    return source


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
    codes = sorted({*before, *outcomes.warnings})
    return {"warnings": {code: before.get(code, 0) + outcomes.warnings[code] for code in codes}}


def _summed(source: Import, outcomes: Outcomes, kept: Kept) -> dict[str, Any]:
    """What the import changed among the aggregates so far."""
    if not outcomes.reports:
        return {}
    before = AggregateTotals.from_json(source.options.get("aggregate", {}))
    return {"aggregate": (before + kept.totals).as_json()}
