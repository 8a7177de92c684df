"""A latency over time and by groups, beside the range it is compared with: what Explore draws of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.grammar import LATENCY_METRICS
from accounting.queries.latency import LatencyRow, named, whole_row
from accounting.queries.latency_sums import Measured, Percentiles, is_slow, measured
from accounting.queries.points import Point
from accounting.queries.series import SHOWN_GROUPS
from accounting.queries.snapshots import snapshot
from accounting.queries.spend import RowKey, bucket_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploredLatency:
    """One cut. rows: every group (and sub) over the whole range, those that most requests tell of first.

    points: the metric by bucket, of the groups that are drawn and equal ones; over_time: of all groups. before: its value in the compared
    range by group, () for all of it; None where nothing is compared.
    """

    wanted: UsageFilter
    rows: tuple[LatencyRow, ...]
    whole: LatencyRow
    points: tuple[Point, ...]
    over_time: tuple[Point, ...]
    is_slow: bool
    before: Mapping[RowKey, Decimal | None] | None = None

    @property
    def kind(self) -> str:
        """Which latency it is, of LATENCIES."""
        return LATENCY_METRICS[self.wanted.metric][0]


def explore_latency(wanted: UsageFilter) -> ExploredLatency:
    """A filter whose metric is a latency by its bucket (day unless given), its group (model) and sub.

    All of it of one moment of the books. One statement, one more where it is compared, and one each for
    the names of projects and of keys.
    """
    cut = replace(wanted, bucket=wanted.bucket or "day", group=wanted.group or "model")
    dimensions = [name for name in (cut.group, cut.sub) if name]
    places = range(1, 1 + len(dimensions))
    kinds = [LATENCY_METRICS[cut.metric][0]]
    compared = comparison(cut)
    with snapshot():
        cells, groups, buckets, whole = measured(
            cut, dimensions, kinds, places, (0,), (), most=SHOWN_GROUPS
        )
        earlier = (
            measured(replace(compared, bucket=""), dimensions, kinds, ()) if compared else None
        )
    rows = named(replace(cut, bucket=""), dimensions, groups)
    return ExploredLatency(
        wanted=cut,
        rows=tuple(sorted(rows, key=lambda row: _rank(row, kinds[0]))),
        whole=whole_row(whole),
        points=_points(cut, cells),
        over_time=_points(cut, buckets),
        is_slow=is_slow(cut, dimensions),
        before={
            key: value_of(values, cut.metric)
            for answer in earlier
            for key, values in answer.items()
        }
        if earlier
        else None,
    )


def value_of(found: Measured | LatencyRow, metric: str) -> Decimal | None:
    """What a metric of LATENCY_METRICS is of what was measured, in ms."""
    kind, percent = LATENCY_METRICS[metric]
    told: Percentiles = found[kind] if isinstance(found, Mapping) else getattr(found, kind)
    value: float | None = getattr(told, f"p{percent}")
    return None if value is None else Decimal(repr(value))


def _rank(row: LatencyRow, kind: str) -> tuple[int, list[str]]:
    told: Percentiles = getattr(row, kind)
    return -told.requests, [one.label for one in (row.group, row.sub) if one]


def _points(cut: UsageFilter, found: Mapping[RowKey, Measured]) -> tuple[Point, ...]:
    """Values by bucket and what is behind it in the keys."""
    return tuple(
        Point(bucket=bucket_of(cut, key), group=None, sub=None, key=key[1:], amounts=(("", value),))
        for key, values in found.items()
        if (value := value_of(values, cut.metric)) is not None
    )
