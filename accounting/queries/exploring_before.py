"""What a cut is compared with: its metric by group and by bucket, and no other sum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from accounting.queries.at_once import summed_at_once
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import summed
from accounting.queries.measures import RATIOS, SUMS_MEASURED, measured, measured_rows
from accounting.queries.points import SUMS_OF, Amount, points_of, usage_points
from accounting.queries.series import Series, ghosts_of
from accounting.queries.sources import sources_of
from accounting.queries.spend import RowKey
from accounting.queries.totals import NOTHING
from accounting.queries.wrapping import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """The compared range. whole: its metric as measures know it; ghosts: the same by bucket, none of a ratio."""

    wanted: UsageFilter
    whole: Amount | None
    groups: Mapping[RowKey, Amount | None]
    ghosts: tuple[Series, ...] = ()

    def of(self, key: RowKey) -> Amount | None:
        """The metric of one group; that of nothing where it used nothing."""
        return self.groups.get(key, measured(NOTHING, self.wanted))


def before_of(compared: UsageFilter, dimensions: Sequence[str]) -> Before:
    """A compared range by its dimensions and by its bucket.

    Two statements, one for a ratio; one alone too where both would read the ledger.
    """
    rows, ghosts = _read(compared, dimensions)
    names = [f"key_{place}" for place in range(len(dimensions))]
    return Before(
        wanted=compared,
        whole=measured_rows(rows, compared),
        groups={
            key: measured_rows([*parts], compared)
            for key, parts in groupby(rows, key=lambda row: tuple(row[name] for name in names))
        },
        ghosts=ghosts,
    )


def _read(
    compared: UsageFilter, dimensions: Sequence[str]
) -> tuple[Sequence[Row], tuple[Series, ...]]:
    whole, by_bucket = replace(compared, bucket=""), replace(compared, group="", sub="")
    sums, drawn = SUMS_MEASURED[compared.metric], SUMS_OF[compared.metric]
    if compared.metric in RATIOS:
        return summed(whole, dimensions, sums).rows, ()
    if sources_of(by_bucket, ()).is_ledger:
        groups, buckets = summed_at_once(compared, dimensions, sums, drawn, is_by_group=False)
        return groups, ghosts_of(compared, points_of(by_bucket, buckets))
    return summed(whole, dimensions, sums).rows, ghosts_of(compared, usage_points(by_bucket))
