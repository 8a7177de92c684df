"""What a batch changed in the books, added up from its sums."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

from accounting.domain.changes import REPORTED_KINDS, Change
from accounting.models.addends import ADDENDS


def _sums(expressions: Mapping[str, str]) -> str:
    """The columns of a change. expressions: what one signed row adds to each."""
    names = ("requests", "errors", "unpriced_requests", "cost", "reported_cost", *REPORTED_KINDS)
    sums = (f"coalesce(sum(sign * ({expressions[name]})), 0)" for name in names)
    return ", ".join(("currency", "reported_currency", *sums))


_OF_ROWS = _sums({**ADDENDS, "reported_cost": "coalesce(reported_cost, 0)"})
_OF_SUMS = _sums({name: name for name in (*ADDENDS, "reported_cost")})
SUM_ROWS = f"SELECT {_OF_ROWS} FROM posting_change GROUP BY currency, reported_currency"
SUM_CHANGES = f"SELECT {_OF_SUMS} FROM posting_sums GROUP BY currency, reported_currency"
SUM_CHANGES_BY_IMPORT = f"""
    SELECT told_by, {_OF_SUMS}
    FROM posting_sums
    GROUP BY told_by, currency, reported_currency
"""


def change_of_rows(reported: set[str]) -> Change:
    """The sum of posting_change. reported: the token kinds that are told, as sums or as 0."""
    return _total(SUM_ROWS, reported)


def posted_change(reported: set[str]) -> Change:
    """The sum of posting_sums. reported: the token kinds that some record of the input reported."""
    return _total(SUM_CHANGES, reported)


def posted_changes(reported: Mapping[int, set[str]]) -> dict[int, Change]:
    """The sums of posting_sums for each import that brought a staged row: import id -> change.

    reported: the token kinds that some record of the import reported, of every such import.
    """
    totals = {import_id: _zero(kinds) for import_id, kinds in reported.items()}
    with connection.cursor() as cursor:
        cursor.execute(SUM_CHANGES_BY_IMPORT)
        for import_id, *values in cursor.fetchall():
            totals[import_id] += _change(values, reported[import_id])
    return totals


def _total(statement: str, reported: set[str]) -> Change:
    total = _zero(reported)
    with connection.cursor() as cursor:
        cursor.execute(statement)
        for values in cursor.fetchall():
            total += _change(values, reported)
    return total


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
