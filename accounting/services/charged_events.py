"""Events that exist, read with what they are rated by and the charge they have."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any

from django.db import connection

from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.usage import Identity, Place, UsageRecord, Use
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.services import ledger
from accounting.services.columns import NAMES, Charge

#: Columns of the ledger that hold a charge; CostRevision has each twice, as old_… and new_….
CHARGE_COLUMNS = {
    "model": "text",
    "currency": "text",
    "cost_state": "text",
    **dict.fromkeys(SUMMED_AMOUNTS, "money"),
    "unpriced_tokens": "bigint",
    "price_version": "bigint",
}
_USE = (
    "provider",
    "request_model",
    "response_model",
    "operation",
    "service_tier",
    "processing",
    "speed",
    "region",
    "route",
    "status",
    "gateway_cache_hit",
    "billable",
)
_PLACE = ("dedupe_key", "month", "occurred_at", "content_digest", "part", "project_id")
_FIRST_CHARGE = len(_PLACE) + len(_USE) + len(COUNT_NAMES) + 1
_CHARGE = ", ".join(
    f"(e.{name} * 1e12)::bigint" if kind == "money" else f"e.{name}"
    for name, kind in CHARGE_COLUMNS.items()
)
_EVENTS_BY_KEY = """
    FROM unnest(%(keys)s::bytea[], %(months)s::date[]) AS c (dedupe_key, month)
    JOIN accounting_usageevent AS e
      ON e.organization_id = %(organization)s
     AND e.dedupe_key = c.dedupe_key
     AND e.month = c.month
    ORDER BY e.dedupe_key, e.month
"""
# Uses the primary key.
READ = f"""
    SELECT {", ".join(f"e.{name}" for name in (*_PLACE, *_USE, *COUNT_NAMES))},
           e.other_units,
           {_CHARGE}
    {_EVENTS_BY_KEY}
"""
READ_WHOLE = f"SELECT {', '.join(f'e.{name}' for name in NAMES)} {_EVENTS_BY_KEY}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargedEvent:
    """An event with the charge it has. record holds only what rating looks at."""

    key: bytes
    month: date
    digest: bytes
    record: UsageRecord
    charge: Charge


def read_events(
    organization_id: int, keys: Sequence[tuple[bytes, date]], *, lock: bool
) -> list[ChargedEvent]:
    """The events of these keys and months in key order, locked if they are to be changed."""
    rows = _read(READ, organization_id, keys, lock=lock)
    return [_charged(row) for row in rows]


def read_whole(organization_id: int, keys: Sequence[tuple[bytes, date]]) -> list[dict[str, Any]]:
    """The whole ledger rows of these keys and months, by column name, in key order."""
    return [ledger.named(row) for row in _read(READ_WHOLE, organization_id, keys, lock=False)]


def _read(
    statement: str, organization_id: int, keys: Sequence[tuple[bytes, date]], *, lock: bool
) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(
            f"{statement} FOR UPDATE OF e" if lock else statement,
            {
                "organization": organization_id,
                "keys": [key for key, _ in keys],
                "months": [month for _, month in keys],
            },
        )
        return list(cursor.fetchall())


def _charged(row: Sequence[Any]) -> ChargedEvent:
    key, month, at, digest, part, project_id = row[: len(_PLACE)]
    use = row[len(_PLACE) : len(_PLACE) + len(_USE)]
    counts = row[len(_PLACE) + len(_USE) : _FIRST_CHARGE - 1]
    others = row[_FIRST_CHARGE - 1]
    charge = dict(zip(CHARGE_COLUMNS, row[_FIRST_CHARGE:], strict=True))
    return ChargedEvent(
        key=bytes(key),
        month=month,
        digest=bytes(digest),
        record=UsageRecord(
            identity=Identity(part=part),
            use=Use(
                **dict(zip(_USE, use, strict=True)),
                counts=TokenCounts(
                    **dict(zip(COUNT_NAMES, counts, strict=True)),
                    other_units=(
                        () if others == "{}" else tuple(sorted(json.loads(others).items()))
                    ),
                ),
            ),
            place=Place(started_at=at.astimezone(UTC), project_id=project_id),
        ),
        charge=Charge(state=charge.pop("cost_state"), **charge),
    )
