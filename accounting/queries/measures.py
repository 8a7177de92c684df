"""A metric as one number by which groups are ranked and compared."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import cast

from accounting.queries.filters import UsageFilter
from accounting.queries.points import SUMS_OF, Amount, amounts_of
from accounting.queries.series import metric_amounts
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
