"""Spend, credits, tokens and requests by time and one or two dimensions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, cast

from accounting.models import ApiKey, Project
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import RowKey, grouped
from accounting.queries.totals import NOTHING, Totals

__all__ = [
    "Member",
    "RowKey",
    "UsageRow",
    "UsageTable",
    "members_of",
    "named_rows",
    "usage_table",
    "usage_totals",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One value of a dimension: as filters take it, and as people read it. '' is none."""

    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """One bucket of one group; bucket, group and sub are None where the filter has none."""

    bucket: date | datetime | None
    group: Member | None
    sub: Member | None
    totals: Totals
    key: RowKey


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageTable:
    """Rows in order of bucket, group and sub, and the totals of the whole filter.

    has_more: rows were left off at the limit; the totals never are. is_slow: no rollup keeps what was
    asked, so that single requests were summed.
    """

    wanted: UsageFilter
    rows: tuple[UsageRow, ...]
    totals: Totals
    has_more: bool = False
    is_slow: bool = False


def usage_totals(wanted: UsageFilter) -> Totals:
    """Sums over the whole filter. One statement."""
    rows = grouped(replace(wanted, bucket="")).rows
    return rows[0][1] if rows else NOTHING


def usage_table(
    wanted: UsageFilter, *, limit: int | None = None, after: RowKey | None = None
) -> UsageTable:
    """Rows by bucket × group × sub, with totals from SQL over the whole filter.

    limit: at most so many rows, after the one with the key after. Buckets and groups without usage
    have no row. Two statements, one more each for the names of projects and of keys.
    """
    totals = usage_totals(wanted)
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    # Each row is at most as many rows of SQL as there are currencies, the unpriced among them.
    most = None if limit is None else (limit + 1) * (len(totals.costs) + 1)
    found = grouped(wanted, dimensions, limit=most, after=after)
    has_more = limit is not None and len(found.rows) > limit
    return UsageTable(
        wanted=wanted,
        rows=named_rows(wanted, found.rows[:limit]),
        totals=totals,
        has_more=has_more,
        is_slow=found.is_slow,
    )


def usage_rows(wanted: UsageFilter) -> tuple[UsageRow, ...]:
    """All rows of usage_table, where the totals are known or not wanted: one statement fewer."""
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    return named_rows(wanted, grouped(wanted, dimensions).rows)


def named_rows(wanted: UsageFilter, rows: Iterable[tuple[RowKey, Totals]]) -> tuple[UsageRow, ...]:
    """Rows with the names of their groups: a statement for projects, one for keys, else none."""
    rows = list(rows)
    offset = 1 if wanted.bucket else 0
    members = [
        members_of(wanted.organization_id, dimension, {key[offset + n] for key, _ in rows})
        for n, dimension in enumerate(filter(None, (wanted.group, wanted.sub)))
    ]
    return tuple(
        UsageRow(
            bucket=_bucket(wanted, key),
            group=members[0][key[offset]] if wanted.group else None,
            sub=members[1][key[offset + 1]] if wanted.sub else None,
            totals=totals,
            key=key,
        )
        for key, totals in rows
    )


def members_of(organization_id: int, dimension: str, values: Iterable[Any]) -> dict[Any, Member]:
    """The members that stand for grouped values: one statement for projects and keys, else none."""
    values = set(values)
    if dimension == "project":
        found = Project.objects.of(organization_id).filter(pk__in=values)
        named = {
            pk: Member(value=slug, label=name)
            for pk, slug, name in found.values_list("pk", "slug", "name")
        }
    elif dimension == "key":
        keys = ApiKey.objects.of(organization_id).filter(pk__in=values)
        named = {pk: Member(value=name, label=name) for pk, name in keys.values_list("pk", "name")}
    else:
        named = {value: Member(value=value, label=value) for value in values}
    missing = {value: f"#{value}" if value else "" for value in values - named.keys()}
    return named | {value: Member(value=text, label=text) for value, text in missing.items()}


def _bucket(wanted: UsageFilter, key: RowKey) -> date | datetime | None:
    if not wanted.bucket:
        return None
    start = key[0]
    if isinstance(start, datetime):
        return start.astimezone(wanted.zone)
    return cast("date", start)  # the key's first part is the bucket where there is one
