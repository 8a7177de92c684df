"""What a batch tells of requests that stand in the books already: merged with their stored rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from accounting.domain.attribution import BY_LIMITED_KEY
from accounting.domain.merging import conflicts, merge
from accounting.domain.periods import month_of
from accounting.domain.usage import UsageRecord, content_digest
from accounting.queries.prices import rates_of_version
from accounting.services import ledger
from accounting.services.batches import Batch, in_center
from accounting.services.charges import charge_or_unpriced
from accounting.services.closed_months import ClosedCalendar
from accounting.services.columns import Booked, Charge, charge_of, record_of
from accounting.services.overlaps import Overlaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What became of keys that were there already. rewritten: rows that are to replace stored ones."""

    rewritten: Sequence[Booked] = ()
    in_conflict: frozenset[bytes] = frozenset()


def meet_stored(batch: Batch, keys: Sequence[bytes], calendar: ClosedCalendar) -> Met:
    """Merge the keys that a batch tells again with their stored rows, and note which import met which.

    The stored rows are locked, in key order, and stay as they are until the caller rewrites them. A
    closed month keeps its prices: a row in it keeps its charge, or where its usage turns out to be
    another, is charged by the price version it was charged by before.
    """
    stored = _stored(batch, keys)
    overlaps = Overlaps(batch.organization_id, stored.keys())
    rewritten, in_conflict = [], set()
    for key, values in stored.items():
        old, brought = record_of(values), batch.folded[key]
        overlaps.meet(values, by=brought.place.import_id)
        if _is_anothers(values, brought):
            in_conflict.add(key)
            continue
        if conflicts(old.use, brought.use):
            in_conflict.add(key)
        if key in batch.without_center and old.place.project_id == brought.place.project_id:
            # A project's centre is that of the day on which the request was first booked.
            brought = in_center(brought, old.place.cost_center)
        merged = merge(old, brought)
        if not _is_changed(old, merged):
            continue
        its_charge = None
        if calendar.correction_at(old.place.started_at) is not None:
            its_charge = _charge_as_before(batch.organization_id, values, old, merged)
        booked = replace(batch.book(key, merged, its_charge), old_month=values["month"])
        overlaps.replace(values, booked, by=brought.place.import_id)
        rewritten.append(booked)
    overlaps.keep()
    return Met(rewritten=rewritten, in_conflict=frozenset(in_conflict))


def _stored(batch: Batch, keys: Sequence[bytes]) -> dict[bytes, dict[str, Any]]:
    """The stored row that each key means, locked.

    A source that uses an id again months later has a row for each; a wide record is told of the
    one in its own month, else of the nearest.
    """
    stored: dict[bytes, dict[str, Any]] = {}
    for values in ledger.lock_old(keys) if keys else ():
        key = values["dedupe_key"]
        at = batch.folded[key].place.started_at
        if key not in stored or _distance(values, at) < _distance(stored[key], at):
            stored[key] = values
    return stored


def _distance(values: Mapping[str, Any], at: datetime) -> tuple[bool, timedelta]:
    return values["month"] != month_of(at), abs(values["occurred_at"] - at)


def _is_anothers(values: Mapping[str, Any], brought: UsageRecord) -> bool:
    """Whether a key that is limited to a project tells of a request that is booked in another."""
    place = brought.place
    return place.project_basis == BY_LIMITED_KEY and place.project_id != values["project_id"]


def _is_changed(old: UsageRecord, merged: UsageRecord) -> bool:
    known = replace(merged.identity, fingerprint=b"")
    return (
        merged.place != old.place
        or known != old.identity
        or content_digest(merged.use) != content_digest(old.use)
    )


def _charge_as_before(
    organization_id: int, values: Mapping[str, Any], old: UsageRecord, merged: UsageRecord
) -> Charge:
    before = charge_of(values)
    if content_digest(old.use) == content_digest(merged.use):
        return before
    return charge_or_unpriced(merged, rates_of_version(organization_id, before.price_version))
