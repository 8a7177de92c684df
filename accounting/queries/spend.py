"""Spend, credits, tokens and requests by time and one or two dimensions."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import batched
from typing import Any, cast

from accounting.models import ApiKey, Project
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import (
    RowKey,
    Summed,
    by_key,
    each_group,
    grouped,
    summed,
    whole_of,
)
from accounting.queries.snapshots import CHUNK_ROWS
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
    "whole_table",
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

    has_more: rows were left off at the limit; the totals never are. is_slow: as of Sources.
    """

    wanted: UsageFilter
    rows: tuple[UsageRow, ...]
    totals: Totals
    has_more: bool = False
    is_slow: bool = False

    def members(self, place: int) -> dict[Any, Member]:
        """What the groups (0) or subs (1) of its rows are called, by their values; without a bucket."""
        names = [(row.group, row.sub) for row in self.rows]
        return {
            row.key[place]: member
            for row, both in zip(self.rows, names, strict=True)
            if (member := both[place])
        }


def usage_totals(wanted: UsageFilter) -> Totals:
    """Sums over the whole filter. One statement."""
    rows = grouped(replace(wanted, bucket="")).rows
    return rows[0][1] if rows else NOTHING


def usage_table(
    wanted: UsageFilter, *, limit: int | None = None, after: RowKey | None = None
) -> UsageTable:
    """Rows by bucket × group × sub, with totals from SQL over the whole filter.

    limit: at most so many rows, after the one with the key after. Buckets and groups without usage
    have no row. One statement where no rows are left off, else two or three; one more each for the
    names of projects and of keys.
    """
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    # Rows of SQL: one for each currency of a group, mostly one and what has no price.
    most = None if limit is None else 2 * (limit + 1)
    found = summed(wanted, dimensions, limit=most, after=after)
    if after is None and (most is None or len(found.rows) < most):
        return whole_table(wanted, found, limit)
    totals = usage_totals(wanted)
    if most is not None and len(totals.costs) > 1:
        most = (limit or 0) + 1
        found = summed(wanted, dimensions, limit=most * (len(totals.costs) + 1), after=after)
    rows = by_key(wanted, dimensions, found.rows)
    return UsageTable(
        wanted=wanted,
        rows=named_rows(wanted, rows[:limit]),
        totals=totals,
        has_more=limit is not None and len(rows) > limit,
        is_slow=found.is_slow,
    )


def whole_table(wanted: UsageFilter, found: Summed, limit: int | None = None) -> UsageTable:
    """The table of all rows: what they add up to is the sum of the whole filter.

    A statement each for the names of projects and of keys.
    """
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    rows = by_key(wanted, dimensions, found.rows)
    named = named_rows(wanted, rows)
    return UsageTable(
        wanted=wanted,
        rows=named[:limit],
        totals=whole_of(found.rows),
        has_more=limit is not None and len(named) > limit,
        is_slow=found.is_slow,
    )


def each_usage_row(wanted: UsageFilter) -> Iterator[UsageRow]:
    """The same rows one after the other, of which few are held. To be asked in a snapshot."""
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    for rows in batched(each_group(wanted, dimensions), CHUNK_ROWS, strict=False):
        yield from named_rows(wanted, rows)


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
            bucket=bucket_of(wanted, key),
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


def bucket_of(wanted: UsageFilter, key: RowKey) -> date | datetime | None:
    """The bucket that a key of the filter's rows begins with; None without one."""
    if not wanted.bucket:
        return None
    start = key[0]
    if isinstance(start, datetime):
        return start.astimezone(wanted.zone)
    return cast("date", start)  # the key's first part is the bucket where there is one
