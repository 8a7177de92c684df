"""Events as they stood before imports replaced them, ready to be put back, charged as they would be."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.db import connection

from accounting.domain.ratebook import RateBook
from accounting.domain.usage import UsageRecord
from accounting.queries.prices import loaded_rates, rates_of_version
from accounting.services import ledger
from accounting.services.charged_events import CHARGE_COLUMNS
from accounting.services.charges import charge_or_unpriced
from accounting.services.columns import NAMES, Booked, Charge, charge_of, record_of
from accounting.services.provisional import followed

#: An event as it was rated: its key, its month, and the digest of its content.
type _State = tuple[bytes, date, bytes]

# Of one event the least id holds what stood before any of these imports, the greatest says by which
# prices the last of them was charged: by others it is charged now only where a repricing, or a later
# price for what had none, has changed it. What one of them recorded itself has nothing to come back.
FORMER = f"""
    WITH chain AS (
        SELECT dedupe_key, month, min(id) AS first_id, max(id) AS last_id
        FROM accounting_eventrevision
        WHERE organization_id = %(organization)s AND import_id = ANY(%(imports)s)
        GROUP BY dedupe_key, month
    )
    SELECT e.month,
           e.price_version,
           e.price_version <> last.price_version AND e.filled_in = '',
           {", ".join(f"f.{name}" for name in NAMES)}
    FROM chain
    JOIN accounting_eventrevision AS first ON first.id = chain.first_id
    JOIN accounting_eventrevision AS last ON last.id = chain.last_id
    JOIN accounting_usageevent AS e
      ON e.organization_id = %(organization)s
     AND e.dedupe_key = chain.dedupe_key
     AND e.month = chain.month
    CROSS JOIN LATERAL jsonb_populate_record(e, first.former) AS f
    WHERE f.import_id <> ALL(%(imports)s)
    ORDER BY e.dedupe_key, e.month
"""

_MONEY = "(r.{side}_{name} * 1e12)::bigint"
# Uses the unique index of revisions, by key.
TAKEN_BACK = f"""
    SELECT r.dedupe_key,
           r.month,
           r.content_digest,
           {
    ", ".join(
        _MONEY.format(side=side, name=name) if kind == "money" else f"r.{side}_{name}"
        for side in ("new", "old")
        for name, kind in CHARGE_COLUMNS.items()
    )
}
    FROM accounting_costrevision AS r
    JOIN accounting_repricerun AS run ON run.id = r.run_id
    WHERE r.organization_id = %(organization)s
      AND r.dedupe_key = ANY(%(keys)s)
      AND r.correction_at IS NULL
      AND run.state IN ('undoing', 'undone')
    ORDER BY r.id DESC
"""


def former_rows(organization_id: int, import_ids: Sequence[int]) -> list[Booked]:
    """The rows that these imports replaced, in key order; old_month: where each event stands now.

    A row comes back with the charge it had, as if it had stood all the time: without a repricing that
    was undone since, and where one has changed the event since, by the prices of that one; what was
    not known of it follows the newest prices. Three queries, and the prices of each such version once.
    """
    newest = loaded_rates(organization_id)
    rates = {newest.version: newest}
    with connection.cursor() as cursor:
        wanted: dict[str, Any] = {"organization": organization_id, "imports": list(import_ids)}
        cursor.execute(FORMER, wanted)
        rows = [(*row[:3], ledger.named(row[3:])) for row in cursor.fetchall()]
    taken_back = _taken_back(organization_id, [former["dedupe_key"] for *_, former in rows])
    booked = []
    for month, version, is_repriced, former in rows:
        record, charge = record_of(former), charge_of(former)
        for new, old in taken_back.get(_state_of(former), ()):
            charge = old if charge == new else charge
        if is_repriced:
            if version not in rates:
                rates[version] = rates_of_version(organization_id, version)
            charge = charge_or_unpriced(record, rates[version])
        booked.append(
            Booked(
                organization_id=organization_id,
                key=former["dedupe_key"],
                record=record,
                charge=_followed(record, charge, newest),
                wide=False,
                old_month=month,
            )
        )
    return booked


def _followed(record: UsageRecord, charge: Charge, newest: RateBook) -> Charge:
    if charge.price_version >= newest.version:
        return charge
    return followed(charge, charge_or_unpriced(record, newest), record.use.counts) or charge


def _taken_back(
    organization_id: int, keys: Sequence[bytes]
) -> dict[_State, list[tuple[Charge, Charge]]]:
    """What undone repricings had made of events: the new charge and the old one, the last first."""
    found: dict[_State, list[tuple[Charge, Charge]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(TAKEN_BACK, {"organization": organization_id, "keys": list(keys)})
        for key, month, digest, *values in cursor.fetchall():
            middle = len(CHARGE_COLUMNS)
            pair = _charge(values[:middle]), _charge(values[middle:])
            found.setdefault((bytes(key), month, bytes(digest)), []).append(pair)
    return found


def _state_of(values: Mapping[str, Any]) -> _State:
    return values["dedupe_key"], values["month"], bytes(values["content_digest"])


def _charge(values: Sequence[Any]) -> Charge:
    named: dict[str, Any] = dict(zip(CHARGE_COLUMNS, values, strict=True))
    return Charge(state=named.pop("cost_state"), **named)
