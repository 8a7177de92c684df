"""Sums of a filter's usage by bucket and dimensions, whichever tables they come from."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import groupby
from typing import Any, cast

from django.db.models import Case, Q, When
from django.db.models.expressions import Combinable
from django.db.models.lookups import In

from accounting.queries.filters import FilterError, UsageFilter
from accounting.queries.grammar import tag_of
from accounting.queries.sources import sources_of
from accounting.queries.tables import Source
from accounting.queries.totals import SUM_NAMES, Totals, is_amount, merged_rows, totals_of
from accounting.queries.wrapping import Part, Row, streamed, wrapped

#: What a row is found by: its bucket and dimensions as the tables hold them (ids of projects, keys).
type RowKey = tuple[date | datetime | str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """Rows in order of their keys. is_slow: as of Sources."""

    rows: tuple[tuple[RowKey, Totals], ...]
    is_slow: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Summed:
    """Rows of SQL by key_0, key_1, … and currency, with sum_<name> for each sum asked for."""

    rows: Sequence[Row]
    is_slow: bool


def grouped(
    wanted: UsageFilter,
    dimensions: Sequence[str] = (),
    *,
    limit: int | None = None,
    after: RowKey | None = None,
) -> Grouped:
    """A filter's usage by its bucket, if it has one, and these dimensions. One statement.

    Buckets and groups without usage have no row. limit: at most so many rows of SQL, of which each
    group has one for each currency. after: the key behind which rows begin.
    """
    found = summed(wanted, dimensions, limit=limit, after=after)
    return Grouped(rows=by_key(wanted, dimensions, found.rows), is_slow=found.is_slow)


def each_group(
    wanted: UsageFilter, dimensions: Sequence[str] = ()
) -> Iterator[tuple[RowKey, Totals]]:
    """The rows of grouped one after the other, of which few are held. To be asked in a snapshot."""
    names, parts = key_names(wanted, dimensions), sources_of(wanted, dimensions).parts
    rows = streamed(
        _statement(names, SUM_NAMES, is_one=_is_apart(wanted, parts)),
        *(inner(source, names, dimensions, SUM_NAMES) for source in parts),
    )
    return _each_key(wanted, dimensions, rows)


def summed(
    wanted: UsageFilter,
    dimensions: Sequence[str] = (),
    sums: Sequence[str] = SUM_NAMES,
    *,
    shown: Collection[RowKey] | None = None,
    limit: int | None = None,
    after: RowKey | None = None,
) -> Summed:
    """The same as rows of SQL, with fewer sums where few are needed. One statement.

    shown: groups to tell apart, by their keys without the bucket; all others are one, whose keys are None.
    """
    found = sources_of(wanted, dimensions)
    names = key_names(wanted, dimensions)
    if after is not None and len(after) != len(names):
        raise FilterError("bad_cursor", "the cursor belongs to another question", "cursor")
    sums = tuple(dict.fromkeys(("parts", *sums)))
    is_one, is_paged = _is_apart(wanted, found.parts), bool(names and after)
    rows = wrapped(
        _statement(names, sums, is_one=is_one, is_paged=is_paged, limit=limit),
        *(inner(source, names, dimensions, sums, shown) for source in found.parts),
        after=after or (),
    )
    return Summed(rows=rows, is_slow=found.is_slow)


def _is_apart(wanted: UsageFilter, parts: Sequence[Source]) -> bool:
    """Whether no row of one source belongs to a row of another: each day is in one of them.

    What is left of cut days comes from hours or requests, and of those days alone.
    """
    return len(parts) == 1 or (wanted.bucket == "day" and all(part.sign > 0 for part in parts))


def whole_of(rows: Iterable[Row]) -> Totals:
    """All rows of summed, with all of its sums, as one value. No statement."""
    return totals_of(merged_rows(rows))


def earliest_day(wanted: UsageFilter) -> date | None:
    """The local day of the filter's earliest usage. One statement."""
    rows = summed(replace(wanted, bucket="day"), (), (), limit=1).rows
    return cast("date", rows[0]["key_0"]) if rows else None


def by_key(
    wanted: UsageFilter, dimensions: Sequence[str], rows: Iterable[Row]
) -> tuple[tuple[RowKey, Totals], ...]:
    """Rows of summed with all of its sums, those of each group as one."""
    return tuple(_each_key(wanted, dimensions, rows))


def _each_key(
    wanted: UsageFilter, dimensions: Sequence[str], rows: Iterable[Row]
) -> Iterator[tuple[RowKey, Totals]]:
    names = key_names(wanted, dimensions)
    for key, parts in groupby(rows, key=lambda row: tuple(row[name] for name in names)):
        yield key, totals_of(parts)


def key_names(wanted: UsageFilter, dimensions: Sequence[str]) -> list[str]:
    """What the columns of a bucket, where there is one, and of dimensions are called."""
    return [f"key_{n}" for n in range(bool(wanted.bucket) + len(dimensions))]


def inner(
    source: Source,
    names: Sequence[str],
    dimensions: Sequence[str],
    sums: Sequence[str],
    shown: Collection[RowKey] | None = None,
) -> Part:
    """One source's rows by the names of its bucket and dimensions and by currency."""
    buckets = [source.bucket] if source.bucket is not None else []
    keys = [source.key(dimension) for dimension in dimensions]
    if shown is not None:
        is_shown = _is_one_of(keys, dimensions, shown)
        keys = [Case(When(is_shown, then=key)) for key in keys]
    columns = dict(zip(names, [*buckets, *keys], strict=True))
    return source.summed(columns, sums)


def _is_one_of(keys: Sequence[Combinable], dimensions: Sequence[str], shown: Iterable[RowKey]) -> Q:
    if len(keys) == 1:
        return Q(In(keys[0], [group for (group,) in shown]))
    # A tag is looked for in a document, which takes ten times as long as a column: only where that fits.
    first, last = (1, 0) if tag_of(dimensions[0]) else (0, 1)
    beside: dict[Any, list[Any]] = {}
    for group in shown:
        beside.setdefault(group[first], []).append(group[last])
    condition = Q()
    for value, found in beside.items():
        condition |= Q(In(keys[first], [value])) & Q(In(keys[last], found))
    return condition


def _statement(
    names: Sequence[str],
    sums: Sequence[str],
    *,
    is_one: bool,
    is_paged: bool = False,
    limit: int | None = None,
) -> str:
    """Sums over the rows of all sources; what one takes away leaves no row where nothing is left.

    is_one: the rows of all sources are those sums already. Whole numbers leave as such:
    PostgreSQL adds them up as numeric, which takes longer to read.
    """
    by = ", ".join((*names, "currency"))
    added = {name: f"sum_{name}" if is_one else f"sum(sum_{name})" for name in sums}
    shown = ", ".join(
        f"{value}{'' if is_amount(name) else '::bigint'} AS sum_{name}"
        for name, value in added.items()
    )
    conditions = [f"{added['parts']} <> 0"] if is_one else []
    if is_paged:
        conditions.append(f"({', '.join(names)}) > ({', '.join('%s' for _ in names)})")
    where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
    grouped = "" if is_one else f"GROUP BY {by} HAVING {added['parts']} <> 0"
    most = "" if limit is None else f"LIMIT {limit:d}"
    # Put together from names and numbers of ours.
    return f"""
        SELECT {by}, {shown}
        FROM ({{}}) AS parts {where}
        {grouped}
        ORDER BY {by} {most}
    """  # noqa: S608
