"""Rows of reports that an import replaced: kept whole, and put back when it is undone."""

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection

from accounting.models import UsageAggregate

# Uses the unique constraint: usageaggregate_is_kept_once.
KEEP_FORMER = """
    INSERT INTO accounting_aggregaterevision (organization_id, import_id, fingerprint, former)
    SELECT a.organization_id, %(import)s, a.fingerprint, to_jsonb(a)
    FROM accounting_usageaggregate AS a
    WHERE a.organization_id = %(organization)s
      AND a.fingerprint = ANY(%(keys)s)
      AND a.source_import_id <> %(import)s
    ORDER BY a.fingerprint
"""
_FIELDS = UsageAggregate._meta.concrete_fields  # noqa: SLF001  documented by Django
_COLUMNS = [field.attname for field in _FIELDS if not field.primary_key]
# Of one row the least id holds what stood before any of these imports.
PUT_BACK = f"""
    UPDATE accounting_usageaggregate AS a
    SET ({", ".join(_COLUMNS)}) = ROW ({", ".join(f"f.{name}" for name in _COLUMNS)})
    FROM (
        SELECT DISTINCT ON (fingerprint) fingerprint, former
        FROM accounting_aggregaterevision
        WHERE organization_id = %(organization)s AND import_id = ANY(%(imports)s)
        ORDER BY fingerprint, id
    ) AS r
    CROSS JOIN LATERAL jsonb_populate_record(NULL::accounting_usageaggregate, r.former) AS f
    WHERE a.organization_id = %(organization)s
      AND a.fingerprint = r.fingerprint
      AND f.source_import_id <> ALL(%(imports)s)
"""


def keep_former(organization_id: int, import_id: int, keys: Collection[bytes]) -> None:
    """Keep the rows that an import is about to replace, unless it wrote them itself."""
    if keys:
        wanted: dict[str, Any] = {
            "organization": organization_id,
            "import": import_id,
            "keys": list(keys),
        }
        with connection.cursor() as cursor:
            cursor.execute(KEEP_FORMER, wanted)


def take_aggregates_back(organization_id: int, import_ids: Sequence[int]) -> set[int]:
    """Put back the rows that these imports replaced, delete the others they wrote; the runs they named.

    Whoever calls holds the aggregates' lock, and no other import has told any of them since.
    """
    written = UsageAggregate.objects.of(organization_id).filter(source_import_id__in=import_ids)
    runs = set(written.exclude(run=None).values_list("run_id", flat=True).distinct())
    with connection.cursor() as cursor:
        wanted: dict[str, Any] = {"organization": organization_id, "imports": list(import_ids)}
        cursor.execute(PUT_BACK, wanted)
    written.delete()
    return runs
