"""Filling in costs that were unknown when they were posted. A cost that exists stays."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import batched
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from accounting.domain.differences import Differences
from accounting.domain.ratebook import RateBook
from accounting.models import CreditRate, FxRate, Organization, RepriceRun
from accounting.queries.prices import loaded_rates
from accounting.services import ledger
from accounting.services.charged_events import read_events
from accounting.services.charges import charge_or_unpriced
from accounting.services.closed_months import CORRECTION, ClosedCalendar, closed_calendar
from accounting.services.columns import NAMES, Booked, record_of
from accounting.services.comparing import revisions_of
from accounting.services.corrections import standing_charges
from accounting.services.locks import lock_books
from accounting.services.repricing_chunks import book_revisions
from accounting.services.rollups import add_differences

BATCH = 5_000

# Conversions are looked for only where there are any: else every event would be read for nothing.
# Read once, in key order, under all shard locks: nothing can be posted meanwhile.
UNKNOWN_COSTS = f"""
    SELECT {", ".join(NAMES)}
    FROM accounting_usageevent
    WHERE organization_id = %(organization)s
      AND operation <> '{CORRECTION}'
      AND (cost_state IN ('unpriced', 'partial')
           OR cost IS NOT NULL AND credits IS NULL AND %(has_credit_rates)s
           OR cost IS NOT NULL AND cost_base IS NULL AND %(has_fx_rates)s)
    ORDER BY dedupe_key, month
"""


def price_unpriced(*, organization_id: int) -> int:
    """Price what has no cost, or no credits, by the newest version; the number of rows filled in.

    Batches that were rated by older prices but not yet posted see the new version once they have
    their locks, so nothing falls between. What lies in a closed month stays as it is: its cost is
    booked into the open month, by a run of its own that can be undone like any other.
    """
    with transaction.atomic():
        lock_books(organization_id)
        organization = Organization.objects.get(pk=organization_id)
        rates = loaded_rates(organization_id)
        calendar = closed_calendar(organization)
        closed: list[Booked] = []
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
            closed += [b for b in changed if calendar.correction_at(b.record.place.started_at)]
            if closed:
                changed = [
                    b for b in changed if not calendar.correction_at(b.record.place.started_at)
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
        return filled + _correct(organization, closed, rates, calendar)


def _correct(
    organization: Organization, closed: list[Booked], rates: RateBook, calendar: ClosedCalendar
) -> int:
    """Book the costs of events in closed months into the open one; those that have one stay."""
    standing = standing_charges(organization.pk, [booked.key for booked in closed])
    keys = [(booked.key, booked.month) for booked in closed if booked.key not in standing]
    found = Differences()
    events = read_events(organization.pk, keys, lock=True) if keys else []
    revisions = revisions_of(organization.pk, events, rates, calendar, found)
    if not revisions:
        return 0
    moments = [revision.event.record.place.started_at for revision in revisions]
    run = RepriceRun.objects.create(
        organization=organization,
        starts_at=min(moments),
        ends_at=max(moments) + timedelta(microseconds=1),
        price_version=rates.version,
        state="applied",
        done=len(events),
        total=len(events),
        draft=found.as_json(),
        outcome=found.as_json(),
        applied_at=timezone.now(),
    )
    book_revisions(run, revisions)
    return len(revisions)


def _unknown_costs(organization_id: int) -> Iterator[dict[str, Any]]:
    """Rows as they stood when this began, a batch of them in memory."""
    parameters = {
        "organization": organization_id,
        "has_credit_rates": CreditRate.objects.filter(organization_id=organization_id).exists(),
        "has_fx_rates": FxRate.objects.filter(organization_id=organization_id).exists(),
    }
    with connection.chunked_cursor() as cursor:
        cursor.execute(UNKNOWN_COSTS, parameters)
        while rows := cursor.fetchmany(BATCH):
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
    return (
        old["cost_state"] == "partial"
        and old["currency"] == charge.currency
        and all(
            not old[part] or old[part] * 10**12 == getattr(charge, part)
            for part in (
                "cost_input",
                "cost_cache_read",
                "cost_cache_write",
                "cost_output",
                "cost_other",
            )
        )
    )
