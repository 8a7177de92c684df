"""A metric as one number by which groups are ranked and compared."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import cast

from accounting.queries.filters import UsageFilter
from accounting.queries.points import SUMS_OF, Amount, amounts_of
from accounting.queries.series import metric_amounts
from accounting.queries.spend import UsageRow
from accounting.queries.totals import Totals, converted, exact_sum
from accounting.queries.wrapping import Row

#: Ratios, which add up to nothing -> what their groups are ranked by.
RATIOS: Mapping[str, str] = {
    "error_rate": "requests",
    "input_output_ratio": "input_tokens",
    "cache_read_output_ratio": "input_tokens",
    "cache_hit_rate": "input_tokens",
}
#: Metric -> the sums that measured_rows reads.
SUMS_MEASURED: Mapping[str, tuple[str, ...]] = {
    **SUMS_OF,
    "cost": ("cost", "cost_base", "cost_base_unknown"),
}


def weight(totals: Totals, metric: str, currency: str) -> Decimal:
    """What a group is ranked by: its metric, of a ratio what that is a share of."""
    if metric == "cost":
        return totals.cost_base or totals.cost_in(currency)
    found = metric_amounts(totals, RATIOS.get(metric, metric))
    return found[0][1] if found else Decimal(0)


def ranked(rows: Iterable[UsageRow], wanted: UsageFilter) -> tuple[UsageRow, ...]:
    """Rows by the filter's metric, the greatest first; cost in the organization's currency.

    Where that is unknown or equal, costs in other currencies say which is greater, each by its largest
    amount: most books whose currency has no rate are charged in one other. Then more unpriced tokens and
    more requests come first.
    """

    def rank(row: UsageRow) -> tuple[Decimal, Decimal, int, int, str, str]:
        labels = [member.label if member else "" for member in (row.group, row.sub)]
        totals = row.totals
        amount = weight(totals, wanted.metric, wanted.currency)
        charged = max((cost.amount for cost in totals.costs), default=Decimal(0))
        foreign = charged if wanted.metric == "cost" else Decimal(0)
        return -amount, -foreign, -totals.unpriced_tokens, -totals.requests, labels[0], labels[1]

    return tuple(sorted(rows, key=rank))


def measured(totals: Totals, wanted: UsageFilter) -> Amount | None:
    """The filter's metric of some usage; cost in the organization's currency.

    What is unknown is None of a ratio, and 0 of what adds up.
    """
    if wanted.metric in RATIOS:
        return cast("Amount | None", getattr(totals, wanted.metric))
    return weight(totals, wanted.metric, wanted.currency)


def measured_rows(rows: Sequence[Row], wanted: UsageFilter) -> Amount | None:
    """The same of rows of SQL that have the SUMS_MEASURED of the metric."""
    if wanted.metric == "cost":
        own = (row["sum_cost"] for row in rows if row["currency"] == wanted.currency)
        return converted(rows, "cost_base") or exact_sum(own)
    amounts = amounts_of(rows, wanted.metric)
    if not amounts:
        return None if wanted.metric in RATIOS else Decimal(0)
    return amounts[0][1]
