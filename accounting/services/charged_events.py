"""Events that exist, read with what they are rated by and the charge they have."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import BigIntegerField, F, QuerySet
from django.db.models.functions import Cast

from accounting.domain.tokens import COUNT_NAMES, TokenCounts
from accounting.domain.usage import Use
from accounting.models import UsageEvent
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.services import ledger
from accounting.services.columns import NAMES, Charge

#: Columns of the ledger that hold a charge, in the order of Charge; CostRevision has each twice, as
#: old_… and new_….
CHARGE_COLUMNS = {
    "model": "text",
    "currency": "text",
    "cost_state": "text",
    **dict.fromkeys(SUMMED_AMOUNTS, "money"),
    "unpriced_tokens": "bigint",
    "price_version": "bigint",
    "filled_in": "text",
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
_FIRST_OF_USE = len(_PLACE)
_FIRST_COUNT = _FIRST_OF_USE + len(_USE)
_FIRST_CHARGE = _FIRST_COUNT + len(COUNT_NAMES) + 1
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
_COLUMNS = (*_PLACE, *_USE, *COUNT_NAMES, "other_units")
# Uses the primary key.
READ = f"""
    SELECT {", ".join(f"e.{name}" for name in _COLUMNS)},
           {_CHARGE}
    {_EVENTS_BY_KEY}
    FOR UPDATE OF e
"""
READ_WHOLE = f"SELECT {', '.join(f'e.{name}' for name in NAMES)} {_EVENTS_BY_KEY}"
_PICOS = {
    f"{name}_picos": Cast(F(name) * 10**12, BigIntegerField())
    for name, kind in CHARGE_COLUMNS.items()
    if kind == "money"
}


class ChargedEvent(NamedTuple):
    """An event with the charge it has. use holds only what rating looks at."""

    key: bytes
    month: date
    digest: bytes
    at: datetime
    part: int
    project_id: int
    use: Use
    charge: Charge


def lock_events(organization_id: int, keys: Sequence[tuple[bytes, date]]) -> list[ChargedEvent]:
    """The events of these keys and months, locked in key order, to be changed."""
    return [_charged(row) for row in _read(READ, organization_id, keys)]


def charged_events(events: QuerySet[UsageEvent]) -> list[ChargedEvent]:
    """The events of a query as they stand, in its order, to be looked at alone.

    Read as they come out of the index: looking each of a million up by its key takes minutes.
    """
    names = [f"{name}_picos" if kind == "money" else name for name, kind in CHARGE_COLUMNS.items()]
    statement, parameters = (
        events.annotate(**_PICOS).values_list(*_COLUMNS, *names).query.sql_with_params()
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [_charged(row) for row in cursor.fetchall()]


def read_whole(organization_id: int, keys: Sequence[tuple[bytes, date]]) -> list[dict[str, Any]]:
    """The whole ledger rows of these keys and months, by column name, in key order."""
    return [ledger.named(row) for row in _read(READ_WHOLE, organization_id, keys)]


def _read(statement: str, organization_id: int, keys: Sequence[tuple[bytes, date]]) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {
                "organization": organization_id,
                "keys": [key for key, _ in keys],
                "months": [month for _, month in keys],
            },
        )
        return list(cursor.fetchall())


def _charged(row: Sequence[Any]) -> ChargedEvent:
    key, month, at, digest, part, project_id = row[:_FIRST_OF_USE]
    others = row[_FIRST_CHARGE - 1]
    return ChargedEvent(
        bytes(key),
        month,
        bytes(digest),
        at.astimezone(UTC),
        part,
        project_id,
        Use(
            **dict(zip(_USE, row[_FIRST_OF_USE:_FIRST_COUNT], strict=True)),
            counts=TokenCounts(
                **dict(zip(COUNT_NAMES, row[_FIRST_COUNT : _FIRST_CHARGE - 1], strict=True)),
                other_units=(() if others == "{}" else tuple(sorted(json.loads(others).items()))),
            ),
        ),
        Charge(*row[_FIRST_CHARGE:]),
    )
