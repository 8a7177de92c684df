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

from accounting.domain.attribution import BY_LIMITED_KEY
from accounting.domain.changes import Change
from accounting.domain.errors import DomainError
from accounting.domain.merging import conflicts, merge
from accounting.domain.naming import dedupe_key
from accounting.domain.periods import month_of, near_month_edge
from accounting.domain.ratebook import RateBook
from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.usage import UsageRecord, content_digest
from accounting.domain.values import quick
from accounting.models import Organization, Project
from accounting.queries.prices import loaded_rates, rates_of_version
from accounting.services import ledger
from accounting.services.changes import posted_change, posted_changes
from accounting.services.charges import charge, charge_or_unpriced
from accounting.services.closed_months import ClosedCalendar, closed_calendar
from accounting.services.columns import Booked, Charge, charge_of, record_of
from accounting.services.condensing import add_batch
from accounting.services.locks import lock_shards, shard_of
from accounting.services.overlaps import Overlaps
from accounting.services.partitions import ensure_months

__all__ = ["Change", "Posted", "Telling", "ensure_months", "post_imports", "post_usage"]


@quick
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
    batch, new = _post(organization_id, tellings)
    change = posted_change(batch.all.reported) if batch.folded else Change()
    return batch.outcome(batch.all, new, change)


def post_imports(*, organization_id: int, tellings: Sequence[Telling]) -> dict[int, Posted]:
    """As post_usage, of several imports at once; what became of each that tells something.

    No two of them may bring the same key: a record that is folded into another import's would leave no
    trace of who told it, and undoing needs that.
    """
    batch, new = _post(organization_id, tellings)
    told = {number: tally for number, tally in batch.tallies.items() if number is not None}
    reported = {number: tally.reported for number, tally in told.items()}
    changes = posted_changes(reported) if batch.folded else {}
    return {
        number: batch.outcome(tally, new, changes.get(number, Change()))
        for number, tally in told.items()
    }


def _post(organization_id: int, tellings: Sequence[Telling]) -> tuple["_Batch", set[bytes]]:
    """The batch once it stands in the books, and its keys that are new there."""
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("post_usage needs the caller's transaction")
    batch = _Batch(organization_id, loaded_rates(organization_id))
    for telling in tellings:
        batch.add(telling)
    if not batch.folded:
        return batch, set()
    wanted: dict[int, bool] = {}
    for key in batch.folded:
        shard = shard_of(key)
        wanted[shard] = wanted.get(shard, False) or key in batch.wide
    lock_shards(organization_id, wanted)
    # Only now: whoever changes prices or the zone waits for these locks before it looks at the books.
    organization = Organization.objects.get(pk=organization_id)
    batch.rate_by(loaded_rates(organization_id))
    staged = ledger.stage(batch.booked())
    new = ledger.insert_new(staged)
    rewritten = batch.merge_with_old(new, closed_calendar(organization))
    ledger.rewrite(rewritten)
    add_batch(organization_id, organization.time_zone, staged, new=new, with_losses=bool(rewritten))
    return batch, new


@dataclass(slots=True)
class _Tally:
    """What tellings came to so far: the keys that one speaks for, and what was decided among them.

    reported, untold: the kinds of tokens that some record told, and those that none did so far.
    """

    speaks_for: list[bytes] = field(default_factory=list)
    duplicates: int = 0
    conflicts: int = 0
    reported: set[str] = field(default_factory=set)
    refused: list[Refusal] = field(default_factory=list)
    untold: tuple[str, ...] = COUNT_NAMES

    def note(self, counts: TokenCounts) -> None:
        """Note which kinds a record tells."""
        told = [name for name in self.untold if getattr(counts, name) is not None]
        if told:
            self.reported.update(told)
            self.untold = tuple(name for name in self.untold if name not in told)


class _Batch:
    """One batch on its way: its records folded by key, and which telling speaks for which key.

    tallies: of each import that tells something.
    """

    def __init__(self, organization_id: int, rates: RateBook) -> None:
        self.organization_id = organization_id
        self.rates = rates
        self.folded: dict[bytes, UsageRecord] = {}
        self.charges: dict[bytes, Charge] = {}
        self.wide: set[bytes] = set()
        #: Keys that name no cost centre: theirs is their project's.
        self.without_center: set[bytes] = set()
        self.tallies: dict[int | None, _Tally] = {}
        self.updated: set[bytes] = set()
        self.in_conflict: set[bytes] = set()

    @property
    def all(self) -> _Tally:
        """The tallies of all imports together."""
        return _Tally(
            speaks_for=[key for tally in self.tallies.values() for key in tally.speaks_for],
            duplicates=sum(tally.duplicates for tally in self.tallies.values()),
            conflicts=sum(tally.conflicts for tally in self.tallies.values()),
            reported={name for tally in self.tallies.values() for name in tally.reported},
            refused=[one for tally in self.tallies.values() for one in tally.refused],
        )

    def add(self, telling: Telling) -> None:
        """Rate a telling and fold it in; the first that brings a key will speak for it."""
        tally = self.tallies.setdefault(telling.records[0].place.import_id, _Tally())
        try:
            charges = [charge(record, self.rates) for record in telling.records]
        except DomainError as error:
            tally.refused.append(Refusal(line=telling.line, code=error.code, reason=str(error)))
            return
        for position, (record, its_charge) in enumerate(zip(telling.records, charges, strict=True)):
            tally.note(record.use.counts)
            self._fold(record, its_charge, tally if position == 0 else None)

    def _fold(self, record: UsageRecord, its_charge: Charge, deciding: _Tally | None) -> None:
        """deciding: the tally of the telling whose outcome this record decides."""
        key = dedupe_key(self.organization_id, record.identity)
        if record.restamps or near_month_edge(record.place.started_at):
            self.wide.add(key)
        known = self.folded.get(key)
        if known is None:
            self.folded[key] = record
            self.charges[key] = its_charge
            if deciding:
                deciding.speaks_for.append(key)
            return
        if deciding:
            clash = conflicts(known.use, record.use)
            deciding.conflicts += clash
            deciding.duplicates += not clash
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
            if not record.place.cost_center:
                self.without_center.add(key)
                if center := centers.get(record.place.project_id or 0):
                    self.folded[key] = _in_center(record, center)
        return [
            self._book(key, self.folded[key], self.charges.get(key)) for key in sorted(self.folded)
        ]

    def merge_with_old(self, new: set[bytes], calendar: ClosedCalendar) -> list[Booked]:
        """Merge the keys that were there already with their stored rows; the rows that change.

        A closed month keeps its prices: a row in it keeps its charge, or where its usage turns out
        to be another, is charged by the price version it was charged by before.
        """
        rewritten = []
        stored = self._stored(sorted(self.folded.keys() - new))
        overlaps = Overlaps(self.organization_id, stored.keys())
        for key, values in stored.items():
            old, brought = record_of(values), self.folded[key]
            overlaps.meet(values, by=brought.place.import_id)
            if _is_anothers(values, brought):
                self.in_conflict.add(key)
                continue
            if conflicts(old.use, brought.use):
                self.in_conflict.add(key)
            if key in self.without_center and old.place.project_id == brought.place.project_id:
                # A project's centre is that of the day on which the request was first booked.
                brought = _in_center(brought, old.place.cost_center)
            merged = merge(old, brought)
            if not _is_changed(old, merged):
                continue
            self.updated.add(key)
            its_charge = None
            if calendar.correction_at(old.place.started_at) is not None:
                its_charge = _charge_as_before(self.organization_id, values, old, merged)
            booked = replace(self._book(key, merged, its_charge), old_month=values["month"])
            overlaps.replace(values, booked, by=brought.place.import_id)
            rewritten.append(booked)
        overlaps.keep()
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

    def outcome(self, tally: _Tally, new: set[bytes], change: Change) -> Posted:
        """The outcomes of a tally's tellings, with their change of the books."""
        recorded = updated = 0
        duplicates, clashes = tally.duplicates, tally.conflicts
        for key in tally.speaks_for:
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
            change=change,
            refused=tuple(tally.refused),
        )

    def _book(self, key: bytes, record: UsageRecord, its_charge: Charge | None) -> Booked:
        return Booked(
            organization_id=self.organization_id,
            key=key,
            record=record,
            charge=its_charge or charge_or_unpriced(record, self.rates),
            wide=key in self.wide,
        )


def _in_center(record: UsageRecord, center: str) -> UsageRecord:
    return replace(record, place=replace(record.place, cost_center=center))


def _is_anothers(values: Mapping[str, Any], brought: UsageRecord) -> bool:
    """Whether a key that is limited to a project tells of a request that is booked in another."""
    place = brought.place
    return place.project_basis == BY_LIMITED_KEY and place.project_id != values["project_id"]


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
