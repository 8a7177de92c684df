"""How long requests took: first token, time for each token, and the whole, by percentiles."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Aggregate, Count, Q, QuerySet, Sum
from django.db.models.expressions import Combinable

from accounting.domain.histograms import percentile
from accounting.models import LatencyDay, LatencyHour
from accounting.queries.filters import UsageFilter
from accounting.queries.keys import (
    bucket_of_day,
    bucket_of_event,
    bucket_of_hour,
    event_key,
    hour_key,
)
from accounting.queries.selection import conditions, events_of, is_of_days
from accounting.queries.spend import Member, members_of

METRICS = ("ttft", "tpot", "duration")
#: What the histograms keep beside the hour.
_KEPT = frozenset({"model", "provider"})
_PERCENTS = (50, 95, 99)


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentiles:
    """One latency in ms over the requests that tell it; p50, p95, p99 are None where none does."""

    requests: int = 0
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRow:
    """One bucket of one group. ttft: until the first token; tpot: for each token after it."""

    bucket: date | datetime | None
    group: Member | None
    ttft: Percentiles
    tpot: Percentiles
    duration: Percentiles


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyTable:
    """Rows in order of bucket and group, and the whole filter. is_slow: read from single requests."""

    rows: tuple[LatencyRow, ...]
    whole: LatencyRow
    is_slow: bool


class Percentile(Aggregate):
    """The value at a share of a column's known values, interpolated; NULL of none."""

    function = "percentile_cont"
    template = "%(function)s(%(share)s) WITHIN GROUP (ORDER BY %(expressions)s)%(filter)s"


def latency_table(wanted: UsageFilter) -> LatencyTable:
    """Latencies by the filter's bucket and group. Failed requests count for what they tell.

    From histograms, within 2.5 %, where only model and provider are asked for: one statement. Else
    exactly and slowly from single requests: two. One more for names of projects or keys.
    """
    asked = {wanted.group, *(choice.name for choice in wanted.choices)} - {""}
    is_slow = not asked <= _KEPT
    found, whole = _from_events(wanted) if is_slow else _from_histograms(wanted)
    place = 1 if wanted.bucket else 0
    members: dict[Any, Member] = {}
    if wanted.group:
        keys = {key[place] for key in found}
        members = members_of(wanted.organization_id, wanted.group, keys)
    return LatencyTable(
        rows=tuple(
            LatencyRow(
                bucket=_local(key[0], wanted) if wanted.bucket else None,
                group=members[key[place]] if wanted.group else None,
                **measured,
            )
            for key, measured in found.items()
        ),
        whole=LatencyRow(bucket=None, group=None, **whole),
        is_slow=is_slow,
    )


type _Measured = dict[str, Percentiles]
type _Answer = tuple[dict[tuple[Any, ...], _Measured], _Measured]


def _from_histograms(wanted: UsageFilter) -> _Answer:
    rows, bucket_of = _days(wanted) if is_of_days(wanted) else _hours(wanted)
    rows = rows.filter(conditions(wanted, hour_key), purpose=wanted.purpose)
    columns = _columns(bucket_of(wanted) if wanted.bucket else None, wanted, hour_key)
    # The histogram's own column is called bucket too.
    grouped = rows.annotate(**columns).values_list(*columns, "metric", "bucket")
    every: dict[tuple[Any, ...], dict[str, dict[int, int]]] = defaultdict(
        lambda: {metric: defaultdict(int) for metric in METRICS}
    )
    whole: dict[str, dict[int, int]] = {metric: defaultdict(int) for metric in METRICS}
    ordered = grouped.annotate(count=Sum("requests")).order_by(*columns)
    for *key, metric, bucket, count in ordered:
        every[tuple(key)][metric][bucket] += count
        whole[metric][bucket] += count
    return {key: _counted(histograms) for key, histograms in every.items()}, _counted(whole)


type _Histograms = tuple[QuerySet[Any, Any], Callable[[UsageFilter], Combinable]]


def _days(wanted: UsageFilter) -> _Histograms:
    days = LatencyDay.objects.of(wanted.organization_id)
    return days.filter(day__gte=wanted.start, day__lt=wanted.end), bucket_of_day


def _hours(wanted: UsageFilter) -> _Histograms:
    hours = LatencyHour.objects.of(wanted.organization_id)
    return hours.filter(hour__gte=wanted.starts_at, hour__lt=wanted.ends_at), bucket_of_hour


def _counted(histograms: Mapping[str, Mapping[int, int]]) -> _Measured:
    return {
        metric: Percentiles(
            requests=sum(counts.values()), **{f"p{p}": percentile(counts, p) for p in _PERCENTS}
        )
        for metric, counts in histograms.items()
    }


def _from_events(wanted: UsageFilter) -> _Answer:
    events = events_of(wanted).filter(part=0)
    columns = _columns(bucket_of_event(wanted) if wanted.bucket else None, wanted, event_key)
    measures = {
        f"{metric}_{name}": measure
        for metric in METRICS
        for name, measure in _measures(f"{metric}_ms").items()
    }
    told = events.filter(Q(ttft_ms__gt=0) | Q(tpot_ms__gt=0) | Q(duration_ms__gt=0))
    whole = _told(told.aggregate(**measures))
    if not columns:
        return {(): whole}, whole
    grouped: QuerySet[Any, Any] = told.annotate(**columns).values(*columns).annotate(**measures)
    found = {tuple(row[name] for name in columns): _told(row) for row in grouped.order_by(*columns)}
    return found, whole


def _measures(column: str) -> dict[str, Any]:
    known = Q(**{f"{column}__gt": 0})
    shares = {f"p{p}": Percentile(column, share=f"0.{p}", filter=known) for p in _PERCENTS}
    return {"requests": Count(column, filter=known), **shares}


def _told(row: Mapping[str, Any]) -> _Measured:
    names = ("requests", *(f"p{p}" for p in _PERCENTS))
    return {
        metric: Percentiles(**{name: row[f"{metric}_{name}"] for name in names})
        for metric in METRICS
    }


def _columns(bucket: Any, wanted: UsageFilter, key: Any) -> dict[str, Any]:
    columns = {"key_0": bucket} if bucket is not None else {}
    if wanted.group:
        columns["key_1"] = key(wanted.group)
    return columns


def _local(bucket: date | datetime, wanted: UsageFilter) -> date | datetime:
    return bucket.astimezone(wanted.zone) if isinstance(bucket, datetime) else bucket
