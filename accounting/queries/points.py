"""One metric by bucket and group: what charts draw, with no other sums than it needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import Any

from accounting.domain.ratios import ratio
from accounting.domain.values import quick
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import key_names, summed
from accounting.queries.spend import Member, RowKey, bucket_of, members_of
from accounting.queries.totals import converted
from accounting.queries.wrapping import Row

type Amount = int | Decimal | Fraction
#: Metrics that are one whole number, known or not.
_KINDS = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
#: Metric -> the sums that it is made of.
SUMS_OF: Mapping[str, tuple[str, ...]] = {
    "cost": ("cost",),
    "credits": ("credits", "credits_unknown"),
    **{
        name: (name,) for name in ("requests", "errors", "unpriced_requests", "unpriced_tokens")
    },
    **{name: (name, f"known_{name}") for name in _KINDS},
    "uncached_input_tokens": (
        "input_tokens",
        "known_input_tokens",
        "cache_read_input_tokens",
        "cache_write_input_tokens",
    ),
    "error_rate": ("errors", "requests"),
    "input_output_ratio": (
        "input_tokens", "known_input_tokens", "output_tokens", "known_output_tokens",
    ),
    "cache_read_output_ratio": (
        "cache_read_input_tokens", "known_cache_read_input_tokens",
        "output_tokens", "known_output_tokens",
    ),
    "cache_hit_rate": ("cache_known_read_tokens", "cache_known_input_tokens"),
}  # fmt: skip


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A metric in one bucket of one group; group and sub are None where the filter has none.

    amounts: with '' for the currency, one for each currency of cost, none where nothing is known. key:
    of group and sub, as rows of the same filter without a bucket have it. What is summed of groups that
    are not told apart has None for all of them.
    """

    bucket: date | datetime | None
    group: Member | None
    sub: Member | None
    key: RowKey
    amounts: tuple[tuple[str, Amount], ...]


def usage_points(wanted: UsageFilter, *known: Mapping[Any, Member]) -> tuple[Point, ...]:
    """The filter's metric by its bucket, group and sub, in their order.

    known: the members of group and of sub that were looked up before, by their values. One statement,
    one more each for names of projects and of keys that are not among those.
    """
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    return points_of(wanted, summed(wanted, dimensions, SUMS_OF[wanted.metric]).rows, *known)


def points_of(
    wanted: UsageFilter, rows: Sequence[Row], *known: Mapping[Any, Member]
) -> tuple[Point, ...]:
    """Such rows of SQL as points. No statement but for names that are not known."""
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    names = key_names(wanted, dimensions)
    keyed = [(tuple(row[name] for name in names), row) for row in rows]
    offset = bool(wanted.bucket)
    members = [
        _members(wanted, dimension, {key[offset + n] for key, _ in keyed}, known[n : n + 1])
        for n, dimension in enumerate(dimensions)
    ]
    groups, subs = (*members, {}, {})[:2]
    return tuple(
        Point(
            bucket=bucket_of(wanted, key),
            group=groups.get(key[offset]) if groups else None,
            sub=subs.get(key[offset + 1]) if subs else None,
            key=key[offset:],
            amounts=amounts_of([row for _, row in found], wanted.metric),
        )
        for key, found in groupby(keyed, key=lambda pair: pair[0])
    )


def whole_points(wanted: UsageFilter, rows: Sequence[Row]) -> tuple[Point, ...]:
    """The same rows by bucket alone; of a metric that has no currencies. No statement."""
    return tuple(
        Point(
            bucket=bucket_of(wanted, key),
            group=None,
            sub=None,
            key=(),
            amounts=amounts_of([*found], wanted.metric),
        )
        for key, found in groupby(rows, key=lambda row: (row["key_0"],))
    )


def amounts_of(rows: Sequence[Row], metric: str) -> tuple[tuple[str, Amount], ...]:
    """A metric over rows of one group, one for each currency, that have the SUMS_OF it."""
    if metric == "cost":
        return tuple((row["currency"], row["sum_cost"]) for row in rows if row["currency"])
    if metric == "credits":
        amount: Amount | None = converted(rows, "credits")
    else:
        sums = {name: sum(row[f"sum_{name}"] for row in rows) for name in SUMS_OF[metric]}
        amount = _amount(metric, sums)
    return () if amount is None else (("", amount),)


def _amount(metric: str, sums: Mapping[str, int]) -> Amount | None:
    def known(name: str) -> int | None:
        return sums[name] if sums[f"known_{name}"] else None

    match metric:
        case "uncached_input_tokens":
            whole = known("input_tokens")
            cached = sums["cache_read_input_tokens"] + sums["cache_write_input_tokens"]
            return None if whole is None else whole - cached
        case "error_rate":
            return ratio(sums["errors"], sums["requests"] + sums["errors"])
        case "input_output_ratio":
            return ratio(known("input_tokens"), known("output_tokens"))
        case "cache_read_output_ratio":
            return ratio(known("cache_read_input_tokens"), known("output_tokens"))
        case "cache_hit_rate":
            return ratio(sums["cache_known_read_tokens"], sums["cache_known_input_tokens"])
        case _:
            return known(metric) if metric in _KINDS else sums[metric]


def _members(
    wanted: UsageFilter, dimension: str, values: set[Any], known: Sequence[Mapping[Any, Member]]
) -> Mapping[Any, Member]:
    """What was used for the first time since the names were looked up is looked up too; None is nobody."""
    values = values - {None}
    found = {value: known[0][value] for value in values & known[0].keys()} if known else {}
    missing = values - found.keys()
    return found | (members_of(wanted.organization_id, dimension, missing) if missing else {})
