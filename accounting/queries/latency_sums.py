"""Percentiles of latencies, counted by the server in the buckets of accounting.domain.histograms."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import FloatField, QuerySet, Sum
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast

from accounting.domain.histograms import middle
from accounting.models import LatencyDay, LatencyHour
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import LATENCIES, LATENCY_NAMES, LATENCY_PERCENTS
from accounting.queries.grouping import RowKey, key_names
from accounting.queries.keys import (
    Key,
    bucket_of_day,
    bucket_of_event,
    bucket_of_hour,
    event_key,
    hour_key,
)
from accounting.queries.selection import conditions, events_of, is_of_days
from accounting.queries.wrapping import Row, wrapped

#: Numbers that lie between a bucket of one latency and the same one of the next, where both are told as one.
_APART = 100_000
#: Digits behind the point of a ms: buckets are 5 % wide.
_PLACES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles:
    """One latency in ms over the requests that tell it; p50, p95, p99 are None where none does."""

    requests: int = 0
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None


type Measured = Mapping[str, Percentiles]
type BucketOf = Callable[[UsageFilter], Combinable]

NOTHING_MEASURED: Measured = {kind: Percentiles() for kind in LATENCIES}


def is_slow(wanted: UsageFilter, dimensions: Collection[str]) -> bool:
    """Whether no histogram keeps what a filter is cut by and picked by."""
    return not {*dimensions, *(choice.name for choice in wanted.choices)} <= {*LATENCY_NAMES}


def measured(
    wanted: UsageFilter,
    dimensions: Sequence[str],
    kinds: Sequence[str],
    *groupings: Sequence[int],
    most: int = 0,
) -> list[dict[RowKey, Measured]]:
    """Latencies of these kinds by the filter's bucket and dimensions, and by fewer of these.

    groupings: each the places of what to keep of the bucket, if there is one, and of the dimensions. One
    more answer in front is by all of them; most: that one has only so many groups, those that most
    requests tell of, and equal ones. Keys without requests that tell a latency are left out. One statement.
    """
    names = key_names(wanted, dimensions)
    kept = [names, *([names[place] for place in grouping] for grouping in groupings)]
    if is_slow(wanted, dimensions):
        cells, rows = _of_events(names, kinds), _events(wanted, dimensions, names)
    else:
        cells, rows = "SELECT * FROM ({}) AS told", _histograms(wanted, dimensions, names, kinds)
    whole = _drawn(names[bool(wanted.bucket) :], most) if most else "cells"
    parts = [_grouped(0, names, names, whole)]
    parts += [_grouped(place, names, few, _fewer(few)) for place, few in enumerate(kept) if place]
    found: list[dict[RowKey, dict[str, Percentiles]]] = [{} for _ in kept]
    for row in wrapped(f"WITH cells AS MATERIALIZED ({cells}) {' UNION ALL '.join(parts)}", rows):
        place = row["place"]
        key = tuple(row[name] for name in kept[place])
        found[place].setdefault(key, {**NOTHING_MEASURED})[row["metric"]] = _told(row)
    return [dict(sorted(answer.items())) for answer in found]


def _told(row: Row) -> Percentiles:
    values = {f"p{p}": round(middle(row[f"p{p}"]), _PLACES) for p in LATENCY_PERCENTS}
    return Percentiles(requests=row["requests"], **values)


def _histograms(
    wanted: UsageFilter, dimensions: Sequence[str], names: Sequence[str], kinds: Sequence[str]
) -> QuerySet[Any, Any]:
    rows, bucket_of = _days(wanted) if is_of_days(wanted) else _hours(wanted)
    rows = rows.filter(conditions(wanted, hour_key), purpose=wanted.purpose, metric__in=kinds)
    columns = _columns(wanted, dimensions, names, bucket_of, hour_key)
    # The histogram's own column is called bucket too.
    cells = rows.annotate(**columns).values(*names, "metric", "bucket")
    counted: QuerySet[Any, Any] = cells.annotate(
        counted=Cast(Sum("requests"), FloatField())
    ).order_by()
    return counted


def _days(wanted: UsageFilter) -> tuple[QuerySet[Any, Any], BucketOf]:
    days = LatencyDay.objects.of(wanted.organization_id)
    return days.filter(day__gte=wanted.start, day__lt=wanted.end), bucket_of_day


def _hours(wanted: UsageFilter) -> tuple[QuerySet[Any, Any], BucketOf]:
    hours = LatencyHour.objects.of(wanted.organization_id)
    return hours.filter(hour__gte=wanted.starts_at, hour__lt=wanted.ends_at), bucket_of_hour


def _events(
    wanted: UsageFilter, dimensions: Sequence[str], names: Sequence[str]
) -> QuerySet[Any, Any]:
    columns = _columns(wanted, dimensions, names, bucket_of_event, event_key)
    told = events_of(wanted).filter(part=0).annotate(**columns)
    rows: QuerySet[Any, Any] = told.values(*names, *(f"{kind}_ms" for kind in LATENCIES)).order_by()
    return rows


def _of_events(names: Sequence[str], kinds: Sequence[str]) -> str:
    """Requests counted as the histograms count them, in one narrow pass.

    A request has one number for each latency it tells, of which and in which bucket: joining the three to it
    would take as long again as reading it. The subquery keeps PostgreSQL from taking every moment and
    latency for a group of its own, which it would sort on disk.
    """
    by = ", ".join(names)
    codes = [
        f"CASE WHEN {kind}_ms > 0 THEN {_code(kind)} END" for kind in LATENCIES if kind in kinds
    ]
    code = codes[0] if len(codes) == 1 else f"unnest(ARRAY[{', '.join(codes)}])"
    lead = f"{by}, " if by else ""
    # Put together from names of ours.
    return f"""
        SELECT {lead}(ARRAY{[*LATENCIES]})[code / {_APART} + 1] AS metric,
            mod(code, {_APART}) - {_APART // 2} AS bucket, counted
        FROM (
            SELECT {lead}code, count(*)::float8 AS counted
            FROM (SELECT {lead}{code} AS code FROM ({{}}) AS told LIMIT ALL) AS coded
            WHERE code IS NOT NULL
            GROUP BY {lead}code
        ) AS counts
    """  # noqa: S608


def _code(kind: str) -> str:
    """The number of a latency and its bucket; no float8 has a bucket beyond 16,000."""
    first = LATENCIES.index(kind) * _APART + _APART // 2
    return f"{first} + floor(ln({kind}_ms) / ln(1.05))::int"


def _columns(
    wanted: UsageFilter,
    dimensions: Sequence[str],
    names: Sequence[str],
    bucket_of: BucketOf,
    key: Key,
) -> dict[str, Combinable]:
    buckets = [bucket_of(wanted)] if wanted.bucket else []
    return dict(zip(names, [*buckets, *map(key, dimensions)], strict=True))


def _fewer(kept: Sequence[str]) -> str:
    """The cells by fewer keys. Whole numbers stay exact as float8, which is added much faster than numeric."""
    by = ", ".join((*kept, "metric", "bucket"))
    return f"(SELECT {by}, sum(counted)::float8 AS counted FROM cells GROUP BY {by}) AS fewer"  # noqa: S608


def _drawn(groups: Sequence[str], most: int) -> str:
    """The cells of the greatest groups."""
    by = ", ".join(groups)
    return f"""
        cells JOIN (
            SELECT {by}, rank() OVER (ORDER BY sum(counted) DESC) AS rank FROM cells GROUP BY {by}
        ) AS ranked USING ({by}) WHERE rank <= {most:d}
    """  # noqa: S608


def _grouped(place: int, names: Sequence[str], kept: Sequence[str], cells: str) -> str:
    """One answer: by nearest rank, the first bucket up to which so many percent were counted."""
    keys = [name if name in kept else f"NULL AS {name}" for name in names]
    shares = [
        f"min(bucket) FILTER (WHERE 100 * reached >= {p} * total) AS p{p}" for p in LATENCY_PERCENTS
    ]
    by = ", ".join((*kept, "metric"))
    # Put together from names and numbers of ours.
    return f"""
        SELECT {", ".join((f"{place} AS place", *keys, "metric", *shares))},
            max(total)::bigint AS requests
        FROM (
            SELECT {by}, bucket, sum(counted) OVER (PARTITION BY {by}) AS total,
                sum(counted) OVER (PARTITION BY {by} ORDER BY bucket) AS reached
            FROM {cells}
        ) AS steps
        GROUP BY {by}
    """  # noqa: S608
