"""How long requests took: first token, time for each token, and the whole, by percentiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import LATENCIES
from accounting.queries.latency_sums import (
    NOTHING_MEASURED,
    Measured,
    Percentiles,
    is_slow,
    measured,
)
from accounting.queries.spend import Member, RowKey, bucket_of, members_of


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRow:
    """One bucket of one group. ttft: until the first token; tpot: for each token after it."""

    bucket: date | datetime | None
    group: Member | None
    sub: Member | None
    key: RowKey
    ttft: Percentiles
    tpot: Percentiles
    duration: Percentiles


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyTable:
    """Rows in order of their keys, and the whole filter. is_slow: read from single requests."""

    rows: tuple[LatencyRow, ...]
    whole: LatencyRow
    is_slow: bool


def latency_table(wanted: UsageFilter) -> LatencyTable:
    """Latencies by the filter's bucket, group and sub, within 2.5 %. Failed requests count for what they tell.

    From histograms where only model and provider are asked for, else slowly from single requests. One
    statement, one more each for names of projects and of keys.
    """
    dimensions = [name for name in (wanted.group, wanted.sub) if name]
    found, whole = measured(wanted, dimensions, LATENCIES, ())
    return LatencyTable(
        rows=named(wanted, dimensions, found),
        whole=whole_row(whole),
        is_slow=is_slow(wanted, dimensions),
    )


def whole_row(found: Mapping[RowKey, Measured]) -> LatencyRow:
    """What is measured of everything."""
    whole = found.get((), NOTHING_MEASURED)
    return LatencyRow(bucket=None, group=None, sub=None, key=(), **whole)


def named(
    wanted: UsageFilter, dimensions: Sequence[str], found: Mapping[RowKey, Measured]
) -> tuple[LatencyRow, ...]:
    """Rows with the names of their groups: a statement for projects, one for keys, else none."""
    offset = bool(wanted.bucket)
    members: list[Mapping[Any, Member]] = [
        members_of(wanted.organization_id, dimension, {key[offset + n] for key in found})
        for n, dimension in enumerate(dimensions)
    ]
    groups, subs = (*members, {}, {})[:2]
    return tuple(
        LatencyRow(
            bucket=bucket_of(wanted, key),
            group=groups[key[offset]] if groups else None,
            sub=subs[key[offset + 1]] if subs else None,
            key=key,
            **values,
        )
        for key, values in found.items()
    )
