"""Any cut of the usage: over time, by one or two dimensions, beside the range it is compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from accounting.queries.at_once import summed_at_once
from accounting.queries.comparing import comparison
from accounting.queries.exploring_before import Before, before_of
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import Summed, summed
from accounting.queries.measures import RATIOS, ranked
from accounting.queries.points import SUMS_OF, Point, points_of, whole_points
from accounting.queries.series import SHOWN_GROUPS, Stack, drawn_keys, stack_of
from accounting.queries.snapshots import snapshot
from accounting.queries.sources import sources_of
from accounting.queries.spend import RowKey, UsageRow, UsageTable, usage_table, whole_table
from accounting.queries.totals import SUM_NAMES, Totals
from accounting.queries.wrapping import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """One cut. table: every group (and sub) over the whole range; rows: the greatest by the metric first.

    points: the metric of the groups that are drawn by bucket too, and of all others as one. stack: that;
    without series for a ratio, whose whole then has a point for each bucket. before: the compared range.
    is_slow: it is summed from single requests, or each row's tags are looked into.
    """

    wanted: UsageFilter
    table: UsageTable
    points: tuple[Point, ...]
    stack: Stack
    rows: tuple[UsageRow, ...]
    is_slow: bool
    whole: tuple[Point, ...] = ()
    before: Before | None = None

    @property
    def totals(self) -> Totals:
        """Of the whole filter."""
        return self.table.totals


def explore(wanted: UsageFilter) -> Explored:
    """A filter by its bucket (day unless given) and its group and sub (model unless given).

    All of it of one moment of the books. Two statements, two more where it is compared, or one for a
    ratio; where no rollup keeps what was asked, one reads each range; one more each for the names of
    projects and of keys.
    """
    cut = replace(wanted, bucket=wanted.bucket or "day", group=wanted.group or "model")
    dimensions = [name for name in (cut.group, cut.sub) if name]
    compared = comparison(cut)
    with snapshot():
        table, drawn = _read(cut, dimensions)
        before = before_of(compared, dimensions) if compared else None
    found = points_of(cut, drawn, table.members(0), table.members(1))
    return Explored(
        wanted=cut,
        table=table,
        points=found,
        stack=stack_of(cut, found),
        rows=ranked(table.rows, cut),
        is_slow=sources_of(cut, dimensions).is_slow,
        whole=whole_points(cut, drawn) if cut.metric in RATIOS else (),
        before=before,
    )


def _read(cut: UsageFilter, dimensions: Sequence[str]) -> tuple[UsageTable, Sequence[Row]]:
    """A cut's table, and its rows by bucket with the sums of its metric."""
    whole = replace(cut, bucket="")
    sources = sources_of(whole, dimensions)
    if sources.is_ledger:
        groups, drawn = summed_at_once(cut, dimensions, SUM_NAMES, SUMS_OF[cut.metric])
        return whole_table(whole, Summed(rows=groups, is_slow=sources.is_slow)), drawn
    table = usage_table(whole)
    shown = _drawn(table.rows, cut)
    return table, summed(cut, dimensions, SUMS_OF[cut.metric], shown=shown).rows


def _drawn(rows: Sequence[UsageRow], cut: UsageFilter) -> Sequence[RowKey] | None:
    """The keys of the groups that are drawn; None where that is all of them."""
    if cut.metric in RATIOS and len(rows) > SHOWN_GROUPS:
        return [row.key for row in ranked(rows, cut)[:SHOWN_GROUPS]]
    return drawn_keys(rows, cut.metric)
