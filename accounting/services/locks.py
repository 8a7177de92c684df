"""Locks on an organization's books: 64 shards by the first byte of the key.

Posting shares the shards its batch touches and takes alone those with a wide key; whatever rewrites
the books as a whole (rebuild, change of zone, filling in prices) takes all of them alone. Always in
shard order, so that two transactions never wait for each other.
"""

from collections.abc import Mapping

from django.db import connection

from accounting.services.dryrun import is_dry

SHARDS = 64

# A function scan over unnest() returns rows in the order of the arrays, and so do the calls.
LOCK_SHARDS = """
    SELECT CASE WHEN alone THEN pg_advisory_xact_lock(%(organization)s::int, shard)
                ELSE pg_advisory_xact_lock_shared(%(organization)s::int, shard) END
    FROM unnest(%(shards)s::int[], %(alone)s::bool[]) AS wanted (shard, alone)
"""


def shard_of(key: bytes) -> int:
    """The shard a key lies in."""
    return key[0] % SHARDS


def lock_shards(organization_id: int, wanted: Mapping[int, bool]) -> None:
    """Lock shards until the transaction ends. wanted: shard -> whether it is taken alone."""
    if is_dry():
        return
    shards = sorted(wanted)
    with connection.cursor() as cursor:
        cursor.execute(
            LOCK_SHARDS,
            {
                "organization": organization_id,
                "shards": shards,
                "alone": [wanted[shard] for shard in shards],
            },
        )


def lock_books(organization_id: int) -> None:
    """Take all of an organization's shards alone: nobody posts until the transaction ends."""
    lock_shards(organization_id, dict.fromkeys(range(SHARDS), True))
