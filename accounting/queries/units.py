"""A cost as one figure: in the organization's currency, in another one, or in credits."""

from dataclasses import dataclass
from decimal import Decimal

from accounting.queries.totals import Totals

CREDITS = "credits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A cost in one unit. value: None while unknown; is_whole: all that has a price is in it."""

    value: Decimal | None
    is_whole: bool


def amount_in(totals: Totals, unit: str, own: str) -> Amount:
    """What some usage cost in a unit.

    unit: CREDITS, or a currency. In the organization's own currency that is what every charge came
    to at the exchange rate of its day; in any other only what was charged in it. own: that currency.
    """
    if unit == CREDITS:
        return Amount(value=totals.credits, is_whole=not totals.credits_unknown)
    if unit == own:
        return Amount(value=totals.cost_base, is_whole=not totals.cost_base_unknown)
    charged = {cost.currency: cost.amount for cost in totals.costs}
    return Amount(value=charged.get(unit), is_whole=charged.keys() <= {unit})
