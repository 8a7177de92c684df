"""What a batch changed in the books, added up from its signed rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from accounting.domain.changes import REPORTED_KINDS, Change

_SUMS = f"""
        currency,
        reported_currency,
        coalesce(sum(sign) FILTER (WHERE part = 0 AND status IN ('ok', 'cancelled')), 0),
        coalesce(sum(sign) FILTER (WHERE part = 0 AND status = 'error'), 0),
        coalesce(sum(sign) FILTER (WHERE part = 0 AND cost_state IN ('unpriced', 'partial')), 0),
        coalesce(sum(sign * cost), 0),
        coalesce(sum(sign * reported_cost), 0),
        {", ".join(f"coalesce(sum(sign * {name}), 0)" for name in REPORTED_KINDS)}
"""
SUM_CHANGES = f"""
    SELECT {_SUMS}
    FROM posting_change
    GROUP BY currency, reported_currency
"""
# A rewritten row keeps the import that recorded it; the staged one says who told it now.
SUM_CHANGES_BY_IMPORT = f"""
    SELECT told_by, {_SUMS}
    FROM posting_change
    JOIN (SELECT dedupe_key, import_id AS told_by FROM posting_stage) AS s USING (dedupe_key)
    GROUP BY told_by, currency, reported_currency
"""


def posted_change(reported: set[str]) -> Change:
    """The sum of posting_change. reported: the token kinds that some record of the input reported."""
    total = _zero(reported)
    with connection.cursor() as cursor:
        cursor.execute(SUM_CHANGES)
        for values in cursor.fetchall():
            total += _change(values, reported)
    return total


def posted_changes(reported: Mapping[int, set[str]]) -> dict[int, Change]:
    """The sums of posting_change for each import that brought a staged row: import id -> change.

    reported: the token kinds that some record of the import reported, of every such import.
    """
    totals = {import_id: _zero(kinds) for import_id, kinds in reported.items()}
    with connection.cursor() as cursor:
        cursor.execute(SUM_CHANGES_BY_IMPORT)
        for import_id, *values in cursor.fetchall():
            totals[import_id] += _change(values, reported[import_id])
    return totals


def _zero(reported: set[str]) -> Change:
    zeros: dict[str, Any] = dict.fromkeys(reported & set(REPORTED_KINDS), 0)
    return Change(**zeros)


def _change(values: Sequence[Any], reported: set[str]) -> Change:
    currency, reported_currency, requests, errors, unpriced, cost, said, *kinds = values
    return Change(
        requests=int(requests),
        errors=int(errors),
        unpriced_requests=int(unpriced),
        cost={currency: cost} if currency else {},
        reported_cost={reported_currency: said} if reported_currency else {},
        **{
            name: int(value)
            for name, value in zip(REPORTED_KINDS, kinds, strict=True)
            if name in reported
        },
    )
