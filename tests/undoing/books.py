"""The whole of an organization's books as one value, and imports that are posted and undone."""

import json
from dataclasses import replace
from decimal import Decimal

from django.db import connection, transaction

from accounting.models import Import, UsageEvent
from accounting.services.locks import lock_books
from accounting.services.rollup_sums import ROLLUPS
from accounting.services.undoing import take_back
from tests.factories import ImportFactory
from tests.posting.conftest import post_to

#: What is kept beside the ledger; the numbers of their rows say nothing.
BESIDE = (
    "accounting_eventrevision",
    "accounting_importoverlap",
    "accounting_aggregaterevision",
    "accounting_usageaggregate",
    "accounting_run",
)


def snapshot():
    """Every row of the ledger, of each rollup and of what undoing stands on."""
    tables = {UsageEvent._meta.db_table: rows(UsageEvent._meta.db_table)}
    for name in (*(rollup.table for rollup in ROLLUPS), *BESIDE):
        tables[name] = rows(name)
    return tables


def rows(table):
    """A sum that has come back to 0 may carry zeros behind its point, so amounts are numbers here."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT (to_jsonb(t) - 'id')::text FROM {table} AS t")
        found = [json.loads(row, parse_float=number, parse_int=number) for (row,) in cursor]
    return sorted(found, key=repr)


def number(text):
    amount = Decimal(text)
    return amount.normalize() if amount else Decimal(0)


def told(organization, *records):
    """An import of these records, one telling for each, posted; the import."""
    source = ImportFactory(organization=organization, state="done")
    return told_by(source, *records)


def told_by(source, *records):
    """Post more records for an import, as its next chunk would be."""
    posted = post_to(source.organization_id, [placed(record, source) for record in records])
    moments = [record.place.started_at for record in records]
    known = [at for at in (source.earliest_at, source.latest_at) if at]
    source.earliest_at, source.latest_at = min(known + moments), max(known + moments)
    source.recorded += posted.recorded
    source.updated += posted.updated
    source.duplicates += posted.duplicates
    source.conflicts += posted.conflicts
    source.lines += len(records)
    source.save()
    return source


def placed(record, source):
    return replace(record, place=replace(record.place, import_id=source.pk))


def undone(*imports):
    """Take these imports back, as one."""
    found = list(Import.objects.filter(pk__in=[source.pk for source in imports]))
    organization_id = found[0].organization_id
    with transaction.atomic():
        lock_books(organization_id)
        taken = take_back(organization_id=organization_id, imports=found)
        Import.objects.filter(pk__in=[source.pk for source in found]).update(state="undone")
        return taken
