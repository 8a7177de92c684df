"""The groups of a latency as a table: each with its percentiles, its change, and the links that narrow to it."""

from dataclasses import dataclass
from decimal import Decimal

from accounting.queries.exploring_latency import ExploredLatency, value_of
from accounting.queries.grammar import LATENCY_PERCENTS
from accounting.queries.latency import LatencyRow
from accounting.queries.latency_sums import Percentiles
from accounting.web import formatting
from accounting.web.deltas import Delta, metric_delta
from accounting.web.group_table import PAGE_ROWS, Named, named

#: What the columns of percentiles are called.
HEADINGS = tuple(f"p{percent}" for percent in LATENCY_PERCENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyLine:
    """One group, or all of them without names. requests: how many tell this latency; values: by heading."""

    names: tuple[Named, ...]
    requests: int
    values: tuple[tuple[str, str], ...]
    delta: Delta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyLines:
    """One page of the groups, and all of them together."""

    rows: tuple[LatencyLine, ...]
    whole: LatencyLine
    headings: tuple[str, ...]
    count: int
    page: int
    pages: int


def latency_lines(found: ExploredLatency, page: int) -> LatencyLines:
    """The page of a latency's groups; page: from 1."""
    pages = max(1, -(-len(found.rows) // PAGE_ROWS))
    page = min(max(page, 1), pages)
    shown = found.rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    return LatencyLines(
        rows=tuple(_line(row, found) for row in shown),
        whole=_line(found.whole, found),
        headings=HEADINGS,
        count=len(found.rows),
        page=page,
        pages=pages,
    )


def _line(row: LatencyRow, found: ExploredLatency) -> LatencyLine:
    wanted = found.wanted
    told: Percentiles = getattr(row, found.kind)
    pairs = zip((wanted.group, wanted.sub), (row.group, row.sub), strict=True)
    return LatencyLine(
        names=tuple(named(name, member) for name, member in pairs if member),
        requests=told.requests,
        values=tuple((name, formatting.milliseconds(getattr(told, name))) for name in HEADINGS),
        delta=_delta(row, found),
    )


def _delta(row: LatencyRow, found: ExploredLatency) -> Delta | None:
    if found.before is None:
        return None
    metric = found.wanted.metric
    before: Decimal | None = found.before.get(row.key)
    return metric_delta(metric, value_of(row, metric), before)
