"""Posting: usage records become rows of the ledger, each request once, with its rollups.

The order is proven against parallel sessions and must stay: locks, staging, INSERT … DO NOTHING
RETURNING, the other keys in a new statement, rollups last. Reading first and then
ON CONFLICT DO UPDATE books a key twice when two workers bring it at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from accounting.domain.changes import Change
from accounting.models import Organization
from accounting.queries.prices import loaded_rates
from accounting.services import ledger
from accounting.services.batches import Batch, Tally
from accounting.services.changes import posted_change, posted_changes
from accounting.services.closed_months import closed_calendar
from accounting.services.condensing import add_batch
from accounting.services.locks import lock_shards, shard_of
from accounting.services.meeting import meet_stored
from accounting.services.partitions import ensure_months
from accounting.services.tellings import Posted, Refusal, Telling

__all__ = ["Posted", "Refusal", "Telling", "ensure_months", "post_imports", "post_usage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    """What became of a batch's keys; those that are in none of these the books know already."""

    new: frozenset[bytes] = frozenset()
    updated: frozenset[bytes] = frozenset()
    in_conflict: frozenset[bytes] = frozenset()

    def outcome(self, tally: Tally, change: Change) -> Posted:
        """The outcomes of a tally's tellings, with their change of the books."""
        recorded = updated = 0
        duplicates, clashes = tally.duplicates, tally.conflicts
        for key in tally.speaks_for:
            if key in self.new:
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


def post_usage(*, organization_id: int, tellings: Sequence[Telling]) -> Posted:
    """Count the records of these tellings once, priced, with their rollups.

    Runs in the caller's transaction, so that the caller's own mark of progress commits with it; the
    partitions must exist (`ensure_months`) and records must name their project. Two batches that
    bring the same key give the same books in either order, and no order deadlocks.
    """
    batch, decided = _post(organization_id, tellings)
    whole = batch.all
    change = posted_change(whole.reported) if batch.folded else Change()
    return decided.outcome(whole, change)


def post_imports(*, organization_id: int, tellings: Sequence[Telling]) -> dict[int, Posted]:
    """As post_usage, of several imports at once; what became of each that tells something.

    No two of them may bring the same key: a record that is folded into another import's would leave no
    trace of who told it, and undoing needs that.
    """
    batch, decided = _post(organization_id, tellings)
    told = {number: tally for number, tally in batch.tallies.items() if number is not None}
    reported = {number: tally.reported for number, tally in told.items()}
    changes = posted_changes(reported) if batch.folded else {}
    return {
        number: decided.outcome(tally, changes.get(number, Change()))
        for number, tally in told.items()
    }


def _post(organization_id: int, tellings: Sequence[Telling]) -> tuple[Batch, _Decided]:
    """The batch once it stands in the books, and what became of its keys."""
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("post_usage needs the caller's transaction")
    batch = Batch(organization_id, loaded_rates(organization_id))
    for telling in tellings:
        batch.add(telling)
    if not batch.folded:
        return batch, _Decided()
    _lock(batch)
    # Only now: whoever changes prices or the zone waits for these locks before it looks at the books.
    organization = Organization.objects.get(pk=organization_id)
    batch.rate_by(loaded_rates(organization_id))
    staged = ledger.stage(batch.booked())
    new = ledger.insert_new(staged)
    met = meet_stored(batch, sorted(batch.folded.keys() - new), closed_calendar(organization))
    ledger.rewrite(met.rewritten)
    add_batch(
        organization_id,
        organization.time_zone,
        staged,
        new=new,
        with_losses=bool(met.rewritten),
    )
    return batch, _Decided(
        new=frozenset(new),
        updated=frozenset(booked.key for booked in met.rewritten),
        in_conflict=met.in_conflict,
    )


def _lock(batch: Batch) -> None:
    """Lock the shards of a batch's keys, alone where one is wide."""
    wanted: dict[int, bool] = {}
    for key in batch.folded:
        shard = shard_of(key)
        wanted[shard] = wanted.get(shard, False) or key in batch.wide
    lock_shards(batch.organization_id, wanted)
