"""Filling in costs that were unknown when they were posted. A cost that exists stays."""

from collections.abc import Iterator
from itertools import batched
from typing import Any

from django.db import connection, transaction

from accounting.models import Organization
from accounting.queries.prices import loaded_rates
from accounting.services import ledger
from accounting.services.charges import charge_or_unpriced
from accounting.services.columns import NAMES, Booked, record_of
from accounting.services.locks import lock_books
from accounting.services.rollups import add_differences

BATCH = 5_000

# Read once, in key order, under all shard locks: nothing can be posted meanwhile.
UNKNOWN_COSTS = f"""
    SELECT {", ".join(NAMES)}
    FROM accounting_usageevent
    WHERE organization_id = %(organization)s
      AND (cost_state IN ('unpriced', 'partial')
           OR cost IS NOT NULL AND (credits IS NULL OR cost_base IS NULL))
    ORDER BY dedupe_key, month
"""


def price_unpriced(*, organization_id: int) -> int:
    """Price what has no cost, or no credits, by the newest version; the number of rows filled in.

    Batches that were rated by older prices but not yet posted see the new version once they have
    their locks, so nothing falls between.
    """
    with transaction.atomic():
        lock_books(organization_id)
        organization = Organization.objects.get(pk=organization_id)
        rates = loaded_rates(organization_id)
        filled = 0
        for rows in batched(_unknown_costs(organization_id), BATCH, strict=False):
            booked = [
                Booked(
                    organization_id=organization_id,
                    key=values["dedupe_key"],
                    record=record,
                    charge=charge_or_unpriced(record, rates),
                    wide=False,
                )
                for values, record in ((values, record_of(values)) for values in rows)
            ]
            changed = [
                new for values, new in zip(rows, booked, strict=True) if _fills_in(values, new)
            ]
            if changed:
                ledger.stage(())
                ledger.rewrite(changed)
                add_differences(
                    organization_id,
                    organization.time_zone,
                    source="posting_change",
                    with_losses=True,
                )
            filled += len(changed)
        return filled


def _unknown_costs(organization_id: int) -> Iterator[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(UNKNOWN_COSTS, {"organization": organization_id})
        rows = cursor.fetchall()
    for values in rows:
        yield ledger.named(values)


def _fills_in(old: dict[str, Any], new: Booked) -> bool:
    """Whether the new charge knows more than the old row and changes nothing that was known."""
    charge = new.charge
    if charge.cost is None:
        return False
    if old["cost"] is None:
        return True
    known = old["cost"] * 10**12 == charge.cost and old["currency"] == charge.currency
    gained = (old["credits"] is None and charge.credits is not None) or (
        old["cost_base"] is None and charge.cost_base is not None
    )
    if known:
        return gained
    return old["cost_state"] == "partial" and all(
        not old[part] or old[part] * 10**12 == getattr(charge, part)
        for part in (
            "cost_input",
            "cost_cache_read",
            "cost_cache_write",
            "cost_output",
            "cost_other",
        )
    )
