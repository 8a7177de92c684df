"""Any cut of the usage: over time, by one or two dimensions, beside the range it is compared with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.points import Point, usage_points
from accounting.queries.series import Series, Stack, ghosts_of, metric_amounts, stack_of
from accounting.queries.sources import sources_of
from accounting.queries.spend import RowKey, UsageRow, UsageTable, usage_table
from accounting.queries.totals import Totals

#: Ratios, which add up to nothing -> what their groups are ranked by.
RATIOS: Mapping[str, str] = {
    "error_rate": "requests",
    "input_output_ratio": "input_tokens",
    "cache_read_output_ratio": "input_tokens",
    "cache_hit_rate": "input_tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """One cut. table: every group (and sub) over the whole range; rows: the greatest by the metric first.

    points: the metric by bucket too. stack: that; without series for a ratio, whose whole then has a
    point for each bucket. previous: what the groups of the compared range had, None where nothing is
    compared; before: all of it, and ghosts its metric by bucket. is_slow: no rollup keeps what was asked,
    so that single requests were summed.
    """

    wanted: UsageFilter
    table: UsageTable
    points: tuple[Point, ...]
    stack: Stack
    rows: tuple[UsageRow, ...]
    is_slow: bool
    whole: tuple[Point, ...] = ()
    previous: Mapping[RowKey, Totals] | None = None
    before: Totals | None = None
    ghosts: tuple[Series, ...] = ()

    @property
    def totals(self) -> Totals:
        """Of the whole filter."""
        return self.table.totals


def explore(wanted: UsageFilter) -> Explored:
    """A filter by its bucket (day unless given) and its group and sub (model unless given).

    Two statements, two more where it is compared, one more for a ratio, less one that is compared, and
    one each for the names of projects and keys in each range.
    """
    cut = replace(wanted, bucket=wanted.bucket or "day", group=wanted.group or "model")
    table = usage_table(replace(cut, bucket=""))
    found = usage_points(cut, table.members(0), table.members(1))
    compared = comparison(cut)
    before = usage_table(replace(compared, bucket="")) if compared else None
    is_ratio = cut.metric in RATIOS
    return Explored(
        wanted=cut,
        table=table,
        points=found,
        stack=stack_of(cut, found),
        rows=ranked(table.rows, cut),
        is_slow=sources_of(cut, filter(None, (cut.group, cut.sub))).is_slow,
        whole=usage_points(_ungrouped(cut)) if is_ratio else (),
        previous={row.key: row.totals for row in before.rows} if before else None,
        before=before.totals if before else None,
        ghosts=_ghosts(compared) if compared and not is_ratio else (),
    )


def _ghosts(compared: UsageFilter) -> tuple[Series, ...]:
    return ghosts_of(compared, usage_points(_ungrouped(compared)))


def _ungrouped(cut: UsageFilter) -> UsageFilter:
    return replace(cut, group="", sub="")


def ranked(rows: Sequence[UsageRow], wanted: UsageFilter) -> tuple[UsageRow, ...]:
    """Rows by the filter's metric, the greatest first; cost in the organization's currency.

    Where that is unknown or equal, more unpriced tokens and more requests come first.
    """

    def rank(row: UsageRow) -> tuple[Decimal, int, int, str, str]:
        labels = [member.label if member else "" for member in (row.group, row.sub)]
        totals = row.totals
        amount = weight(totals, wanted.metric, wanted.currency)
        return -amount, -totals.unpriced_tokens, -totals.requests, labels[0], labels[1]

    return tuple(sorted(rows, key=rank))


def weight(totals: Totals, metric: str, currency: str) -> Decimal:
    """What a group is ranked by: its metric, of a ratio what that is a share of."""
    if metric == "cost":
        return totals.cost_base or totals.cost_in(currency)
    found = metric_amounts(totals, RATIOS.get(metric, metric))
    return found[0][1] if found else Decimal(0)
