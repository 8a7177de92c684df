"""Posting: usage records become rows of the ledger, each request once, with its rollups.

The order is proven against parallel sessions and must stay: locks, staging, INSERT … DO NOTHING
RETURNING, the other keys in a new statement, rollups last. Reading first and then
ON CONFLICT DO UPDATE books a key twice when two workers bring it at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounting.domain.changes import Change
from accounting.domain.errors import DomainError
from accounting.domain.naming import dedupe_key
from accounting.domain.periods import month_of, near_month_edge
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import COUNT_NAMES
from accounting.domain.usage import UsageRecord, conflicts, content_digest, merge
from accounting.models import Organization, Project
from accounting.queries.prices import loaded_rates, rates_of_version
from accounting.services import ledger
from accounting.services.changes import posted_change
from accounting.services.charges import charge, charge_or_unpriced
from accounting.services.closed_months import ClosedCalendar, closed_calendar
from accounting.services.columns import Booked, Charge, charge_of, record_of
from accounting.services.locks import lock_shards, shard_of
from accounting.services.partitions import ensure_months
from accounting.services.rollups import add_differences

__all__ = ["Change", "Posted", "Telling", "ensure_months", "post_usage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One source record: the request parts it tells of, the one that decides its outcome first."""

    line: int
    records: tuple[UsageRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A telling that cannot stand in the books: the caller rejects its line."""

    line: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What became of a batch: every telling has one of the four outcomes, or was refused."""

    recorded: int = 0
    updated: int = 0
    duplicates: int = 0
    conflicts: int = 0
    change: Change = field(default_factory=Change)
    refused: tuple[Refusal, ...] = ()


def post_usage(*, organization_id: int, tellings: Sequence[Telling]) -> Posted:
    """Count the records of these tellings once, priced, with their rollups.

    Runs in the caller's transaction, so that the caller's own mark of progress commits with it; the
    partitions must exist (`ensure_months`) and records must name their project. Two batches that
    bring the same key give the same books in either order, and no order deadlocks.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("post_usage needs the caller's transaction")
    batch = _Batch(organization_id, loaded_rates(organization_id))
    for telling in tellings:
        batch.add(telling)
    if not batch.folded:
        return Posted(refused=tuple(batch.refused))
    wanted: dict[int, bool] = {}
    for key in batch.folded:
        shard = shard_of(key)
        wanted[shard] = wanted.get(shard, False) or key in batch.wide
    lock_shards(organization_id, wanted)
    # Only now: whoever changes prices or the zone waits for these locks before it looks at the books.
    organization = Organization.objects.get(pk=organization_id)
    batch.rate_by(loaded_rates(organization_id))
    ledger.stage(batch.booked())
    new = ledger.insert_new()
    rewritten = batch.merge_with_old(new, closed_calendar(organization))
    ledger.rewrite(rewritten)
    add_differences(
        organization_id,
        organization.time_zone,
        source="posting_change",
        with_losses=bool(rewritten),
    )
    return batch.outcome(new)


class _Batch:
    """One batch on its way: its records folded by key, and which telling speaks for which key."""

    def __init__(self, organization_id: int, rates: RateBook) -> None:
        self.organization_id = organization_id
        self.rates = rates
        self.folded: dict[bytes, UsageRecord] = {}
        self.charges: dict[bytes, Charge] = {}
        self.wide: set[bytes] = set()
        self.speaks_for: list[bytes] = []
        self.duplicates = 0
        self.conflicts = 0
        self.updated: set[bytes] = set()
        self.in_conflict: set[bytes] = set()
        self.reported: set[str] = set()
        self.refused: list[Refusal] = []

    def add(self, telling: Telling) -> None:
        """Rate a telling and fold it in; the first that brings a key will speak for it."""
        try:
            charges = [charge(record, self.rates) for record in telling.records]
        except DomainError as error:
            self.refused.append(Refusal(line=telling.line, code=error.code, reason=str(error)))
            return
        for position, (record, its_charge) in enumerate(zip(telling.records, charges, strict=True)):
            counts = record.use.counts
            self.reported.update(n for n in COUNT_NAMES if getattr(counts, n) is not None)
            self._fold(record, its_charge, decides=position == 0)

    def _fold(self, record: UsageRecord, its_charge: Charge, *, decides: bool) -> None:
        key = dedupe_key(self.organization_id, record.identity)
        if record.restamps or near_month_edge(record.place.started_at):
            self.wide.add(key)
        known = self.folded.get(key)
        if known is None:
            self.folded[key] = record
            self.charges[key] = its_charge
            if decides:
                self.speaks_for.append(key)
            return
        if decides:
            clash = conflicts(known.use, record.use)
            self.conflicts += clash
            self.duplicates += not clash
        self.folded[key] = merge(known, record)
        self.charges.pop(key, None)

    def rate_by(self, rates: RateBook) -> None:
        """Take newer prices: what was rated by an older version is rated again when it is booked."""
        if rates.version != self.rates.version:
            self.rates = rates
            self.charges.clear()

    def booked(self) -> list[Booked]:
        """The folded records in key order, charged, with their projects' cost centres."""
        centers = dict(Project.objects.of(self.organization_id).values_list("pk", "cost_center"))
        for key, record in self.folded.items():
            center = centers.get(record.place.project_id or 0)
            if center and not record.place.cost_center:
                place = replace(record.place, cost_center=center)
                self.folded[key] = replace(record, place=place)
        return [
            self._book(key, self.folded[key], self.charges.get(key)) for key in sorted(self.folded)
        ]

    def merge_with_old(self, new: set[bytes], calendar: ClosedCalendar) -> list[Booked]:
        """Merge the keys that were there already with their stored rows; the rows that change.

        A closed month keeps its prices: a row in it keeps its charge, or where its usage turns out
        to be another, is charged by the price version it was charged by before.
        """
        rewritten = []
        rest = sorted(self.folded.keys() - new)
        for key, values in self._stored(rest).items():
            old, brought = record_of(values), self.folded[key]
            if conflicts(old.use, brought.use):
                self.in_conflict.add(key)
            merged = merge(old, brought)
            if not _is_changed(old, merged):
                continue
            self.updated.add(key)
            its_charge = None
            if calendar.correction_at(old.place.started_at) is not None:
                its_charge = _charge_as_before(self.organization_id, values, old, merged)
            booked = self._book(key, merged, its_charge)
            rewritten.append(replace(booked, old_month=values["month"]))
        return rewritten

    def _stored(self, keys: Sequence[bytes]) -> dict[bytes, dict[str, Any]]:
        """The stored row that each key means, locked.

        A source that uses an id again months later has a row for each; a wide record is told of the
        one in its own month, else of the nearest.
        """
        stored: dict[bytes, dict[str, Any]] = {}
        for values in ledger.lock_old(keys) if keys else ():
            key = values["dedupe_key"]
            at = self.folded[key].place.started_at
            if key not in stored or _distance(values, at) < _distance(stored[key], at):
                stored[key] = values
        return stored

    def outcome(self, new: set[bytes]) -> Posted:
        """The outcomes of all tellings and the change of the books."""
        recorded = updated = 0
        duplicates, clashes = self.duplicates, self.conflicts
        for key in self.speaks_for:
            if key in new:
                recorded += 1
            elif key in self.in_conflict:
                clashes += 1
            elif key in self.updated:
                updated += 1
            else:
                duplicates += 1
        return Posted(
            recorded=recorded,
            updated=updated,
            duplicates=duplicates,
            conflicts=clashes,
            change=posted_change(self.reported),
            refused=tuple(self.refused),
        )

    def _book(self, key: bytes, record: UsageRecord, its_charge: Charge | None) -> Booked:
        return Booked(
            organization_id=self.organization_id,
            key=key,
            record=record,
            charge=its_charge or charge_or_unpriced(record, self.rates),
            wide=key in self.wide,
        )


def _distance(values: Mapping[str, Any], at: datetime) -> tuple[bool, timedelta]:
    return values["month"] != month_of(at), abs(values["occurred_at"] - at)


def _charge_as_before(
    organization_id: int, values: Mapping[str, Any], old: UsageRecord, merged: UsageRecord
) -> Charge:
    before = charge_of(values)
    if content_digest(old.use) == content_digest(merged.use):
        return before
    return charge_or_unpriced(merged, rates_of_version(organization_id, before.price_version))


def _is_changed(old: UsageRecord, merged: UsageRecord) -> bool:
    known = replace(merged.identity, fingerprint=b"")
    return (
        merged.place != old.place
        or known != old.identity
        or content_digest(merged.use) != content_digest(old.use)
    )
