"""Spend, tokens and requests by time and one or two dimensions, from the hourly rollup."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Any, cast

from django.db.models import Q

from accounting.models import ApiKey, Project
from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.selection import bucket_key, group_key, hours_of
from accounting.queries.totals import Totals, sums, totals_of

#: What a row is found by: bucket, group and sub as they stand in the table (ids of projects, keys).
type RowKey = tuple[date | datetime | str | int, ...]


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

    has_more: rows were left off at the limit; the totals never are.
    """

    wanted: UsageFilter
    rows: tuple[UsageRow, ...]
    totals: Totals
    has_more: bool = False


def usage_totals(wanted: UsageFilter) -> Totals:
    """Sums over the whole filter. One statement."""
    return totals_of(hours_of(wanted).values("currency").annotate(**sums()))


def usage_table(
    wanted: UsageFilter, *, limit: int | None = None, after: RowKey | None = None
) -> UsageTable:
    """Rows by bucket × group × sub, with totals from SQL over the whole filter.

    limit: at most so many rows, after the one with the key after. Buckets and groups without usage
    have no row. Two statements, one more each for the names of projects and of keys.
    """
    by_currency = list(hours_of(wanted).values("currency").annotate(**sums()))
    columns = _columns(wanted)
    names = tuple(columns)
    grouped = hours_of(wanted).annotate(**columns).values(*names, "currency").annotate(**sums())
    if after is not None:
        grouped = grouped.filter(_behind(names, after))
    found: Iterable[Mapping[str, Any]] = grouped.order_by(*names, "currency")
    if limit is not None:
        # Each row is at most as many rows of SQL as there are currencies.
        found = grouped.order_by(*names, "currency")[: (limit + 1) * len(by_currency)]
    rows = [
        (key, totals_of(parts))
        for key, parts in groupby(found, key=lambda row: tuple(row[name] for name in names))
    ]
    has_more = limit is not None and len(rows) > limit
    return UsageTable(
        wanted=wanted,
        rows=named_rows(wanted, rows[:limit]),
        totals=totals_of(by_currency),
        has_more=has_more,
    )


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


def _columns(wanted: UsageFilter) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if wanted.bucket:
        columns["bucket_key"] = bucket_key(wanted)
    if wanted.group:
        columns["group_key"] = group_key(wanted.group)
    if wanted.sub:
        columns["sub_key"] = group_key(wanted.sub)
    return columns


def _behind(names: tuple[str, ...], after: RowKey) -> Q:
    if len(after) != len(names):
        raise FilterError("bad_cursor", "the cursor belongs to another question", "cursor")
    condition = Q(pk__in=[])
    same = Q()
    for name, value in zip(names, after, strict=True):
        condition |= same & Q(**{f"{name}__gt": value})
        same &= Q(**{name: value})
    return condition


def _bucket(wanted: UsageFilter, key: RowKey) -> date | datetime | None:
    if not wanted.bucket:
        return None
    start = key[0]
    if isinstance(start, datetime):
        return start.astimezone(wanted.zone)
    return cast("date", start)  # the key's first part is the bucket where there is one
