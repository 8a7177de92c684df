"""Rows of one table that count towards a filter: of hours, of days, or of the ledger."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import (
    Aggregate,
    BigIntegerField,
    DecimalField,
    F,
    QuerySet,
)
from django.db.models.expressions import Combinable

from accounting.models.addends import ADDED_COLUMNS, TOTALS
from accounting.models.rollups import SUMMED_AMOUNTS
from accounting.queries.filters import UsageFilter
from accounting.queries.keys import Key, bucket_of_event, bucket_of_hour, event_key, hour_key
from accounting.queries.selection import conditions, events_between, hours_between
from accounting.queries.wrapping import Part


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Rows of one table that count towards a filter. sign: -1 takes them away again."""

    rows: QuerySet[Any]
    key: Key
    bucket: Combinable | None
    is_ledger: bool = False
    sign: int = 1

    def summed(self, keys: Mapping[str, Combinable], sums: Sequence[str]) -> Part:
        """Its rows by these keys and by currency, with sum_<name> of each of the sums."""
        rows: QuerySet[Any, Any] = self.rows.annotate(**keys)
        if self.is_ledger:
            told = rows.values(*keys, "currency", *ADDED_COLUMNS).order_by()
            return Part(rows=told, around=_ledger_statement((*keys, "currency"), sums))
        told = rows.values(*keys, "currency").annotate(**self._totals(sums))
        return Part(rows=told.order_by())

    def _totals(self, sums: Sequence[str]) -> Mapping[str, Any]:
        """All sums in one expression under the name of the last, since the statement is wrapped.

        Django takes longer to look at forty than the server to add them up.
        """
        sign = "-" if self.sign < 0 else ""
        *others, last = (f"{sign}sum({name})" for name in sums)
        columns = [f"{total} AS sum_{name}" for total, name in zip(others, sums, strict=False)]
        whole = ", ".join((*columns, last))
        return {f"sum_{sums[-1]}": _Totals(whole, output_field=BigIntegerField())}


class _Totals(Aggregate):
    """Sums as one expression: texts of ours, never input, as the rollups say them of ledger rows."""

    template = "%(totals)s"

    def __init__(self, totals: str, **extra: Any) -> None:
        super().__init__(F("organization_id"), totals=totals, **extra)


def ledger_sums(names: Iterable[str]) -> Mapping[str, Any]:
    """The aggregates over rows of the ledger itself, as the rollups sum them."""
    amounts = {*SUMMED_AMOUNTS, "corrections"}
    return {
        f"sum_{name}": _Totals(
            TOTALS[name], output_field=DecimalField() if name in amounts else BigIntegerField()
        )
        for name in names
    }


def _ledger_statement(by: Sequence[str], sums: Sequence[str]) -> str:
    """The same sums over single rows, in a query of its own.

    PostgreSQL knows how many moments and texts the ledger has, not how many days and values are made of
    them: it would expect a group for each row, and sort millions of rows on disk. What comes out of a query
    that it keeps apart it expects to be few, and counts in memory. LIMIT ALL keeps it apart and lets all
    cores read; OFFSET 0 would not.
    """
    keys = ", ".join(by)
    totals = ", ".join(f"{TOTALS[name]} AS sum_{name}" for name in sums)
    # Put together from names and constants of ours.
    return f"SELECT {keys}, {totals} FROM ({{}} LIMIT ALL) AS told GROUP BY {keys}"  # noqa: S608


def hours(wanted: UsageFilter, start: datetime, end: datetime) -> Source:
    """Hours of a span; KeyError for what hours don't keep."""
    rows = hours_between(wanted, start, end)
    bucket = bucket_of_hour(wanted) if wanted.bucket else None
    return Source(rows=rows, key=hour_key, bucket=bucket)


def ledger(wanted: UsageFilter, start: datetime, end: datetime) -> Source:
    """Requests of a span, one by one."""
    rows = events_between(wanted, start, end).filter(conditions(wanted))
    bucket = bucket_of_event(wanted) if wanted.bucket else None
    return Source(rows=rows, key=event_key, bucket=bucket, is_ledger=True)
