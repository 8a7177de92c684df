"""Keeping aggregates: each row of a report stands once, and what it says last stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from django.db import connection

from accounting.domain.aggregates import (
    AGGREGATE_COUNTS,
    Aggregate,
    AggregateTotals,
    difference,
)
from accounting.models import UsageAggregate
from accounting.services.aggregate_revisions import keep_former
from accounting.services.dryrun import is_dry
from accounting.services.overlaps import note_overlaps

#: The space of advisory locks that keeps two imports of one report apart.
_LOCK_SPACE = 0x7A11_0A66
_NAMES = tuple(f.name for f in fields(Aggregate))
_CHANGING = tuple(
    name for name in _NAMES if name not in {"source", "fingerprint", "purpose", "dimensions"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """One source record that tells of aggregates; the first of them decides its outcome."""

    aggregates: tuple[Aggregate, ...]
    run_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What became of the lines, and what they changed among the aggregates."""

    recorded: int = 0
    updated: int = 0
    duplicates: int = 0
    totals: AggregateTotals = field(default_factory=AggregateTotals)


def keep_aggregates(*, organization_id: int, import_id: int, lines: Sequence[ReportLine]) -> Kept:
    """Keep these aggregates once each. Runs in the caller's transaction, after its posting.

    A row that is there already is replaced only by other figures for a period that does not end
    earlier; what another import had written there is kept. At most six queries.
    """
    if not lines:
        return Kept()
    folded: dict[bytes, tuple[Aggregate, int | None]] = {}
    speaks_for: list[bytes] = []
    for line in lines:
        deciding = line.aggregates[0].fingerprint
        speaks_for.append(b"" if deciding in folded else deciding)
        for aggregate in line.aggregates:
            known = folded.get(aggregate.fingerprint)
            if known is None or aggregate.period_end >= known[0].period_end:
                folded[aggregate.fingerprint] = (aggregate, line.run_id)
    lock_aggregates(organization_id)
    rows = UsageAggregate.objects.of(organization_id)
    stored = {bytes(row.fingerprint): row for row in rows.filter(fingerprint__in=list(folded))}
    totals = AggregateTotals()
    changed: set[bytes] = set()
    for key, (aggregate, _) in folded.items():
        old = _aggregate_of(stored[key]) if key in stored else None
        if old is None or _replaces(aggregate, old):
            changed.add(key)
            totals += difference(aggregate, old)
        else:
            totals += difference(old, old)
    writers = {row.source_import_id for row in stored.values()} - {import_id}
    note_overlaps(organization_id, {(writer, import_id) for writer in writers})
    _write(organization_id, import_id, {key: folded[key] for key in sorted(changed)}, stored)
    new = changed - stored.keys()
    recorded = sum(key in new for key in speaks_for)
    updated = sum(key in changed for key in speaks_for) - recorded
    duplicates = len(lines) - recorded - updated
    return Kept(recorded=recorded, updated=updated, duplicates=duplicates, totals=totals)


def lock_aggregates(organization_id: int) -> None:
    """Keep everybody else from an organization's aggregates until the transaction ends."""
    if not is_dry():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK_SPACE, organization_id])


def _write(
    organization_id: int,
    import_id: int,
    changed: dict[bytes, tuple[Aggregate, int | None]],
    stored: dict[bytes, UsageAggregate],
) -> None:
    new: list[UsageAggregate] = []
    known: list[UsageAggregate] = []
    for key, (aggregate, run_id) in changed.items():
        row = stored.get(key) or UsageAggregate(organization_id=organization_id)
        for name, value in _columns(aggregate).items():
            setattr(row, name, value)
        row.source_import_id = import_id
        row.run_id = run_id
        (known if key in stored else new).append(row)
    keep_former(organization_id, import_id, changed.keys() & stored.keys())
    UsageAggregate.objects.bulk_create(new, batch_size=500)
    UsageAggregate.objects.bulk_update(
        known, fields=[*_CHANGING, "source_import", "run"], batch_size=500
    )


def _replaces(new: Aggregate, old: Aggregate) -> bool:
    """Whether the new figures are others, and not of an earlier state of the same period."""
    told = (*AGGREGATE_COUNTS, "reported_cost", "credits")
    is_other = any(getattr(new, name) != getattr(old, name) for name in told)
    return is_other and new.period_end >= old.period_end


def _columns(aggregate: Aggregate) -> dict[str, Any]:
    values = {name: getattr(aggregate, name) for name in _NAMES}
    return values | {"dimensions": dict(aggregate.dimensions), "notes": dict(aggregate.notes)}


def _aggregate_of(row: UsageAggregate) -> Aggregate:
    values = {name: getattr(row, name) for name in _NAMES}
    return Aggregate(
        **values
        | {
            "fingerprint": bytes(row.fingerprint),
            "dimensions": tuple(row.dimensions.items()),
            "notes": tuple(row.notes.items()),
        }
    )
