"""The numbers that every row of usage has: of a group, of a session."""

from collections.abc import Sequence
from decimal import Decimal

from accounting.domain.ratios import written_ratio
from accounting.exports.tables import AMOUNT, COUNT, Cell, Column, columns
from accounting.queries.totals import Totals

_COUNTS = (
    "requests",
    "errors",
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
_RATIOS = ("cache_hit_rate", "input_output_ratio")
_LOSSES = ("unpriced_requests", "unpriced_tokens", "assumed_requests")


class Figures:
    """Columns of counts, ratios and costs, as the currencies of the whole answer need them.

    One column of cost for each currency; what of it corrects closed months in a column of its own,
    where there is such a thing. whole: the totals of all rows.
    """

    def __init__(self, whole: Totals) -> None:
        self._currencies = [cost.currency for cost in whole.costs]
        self._corrected = [cost.currency for cost in whole.costs if cost.corrections]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns, in the order of cells."""
        return (
            *columns(*_COUNTS, kind=COUNT),
            *columns(*_RATIOS, kind=AMOUNT),
            *columns(*(f"cost_{currency}" for currency in self._currencies), kind=AMOUNT),
            *columns(*(f"corrections_{currency}" for currency in self._corrected), kind=AMOUNT),
            *columns("cost_base", "credits", kind=AMOUNT),
            *columns(*_LOSSES, kind=COUNT),
        )

    def cells(self, totals: Totals) -> Sequence[Cell]:
        """The numbers of one row."""
        costs = {cost.currency: cost for cost in totals.costs}
        ratios = (getattr(totals, name) for name in _RATIOS)
        return [
            *(getattr(totals, name) for name in _COUNTS),
            *(None if value is None else Decimal(written_ratio(value)) for value in ratios),
            *(costs[one].amount if one in costs else None for one in self._currencies),
            *(costs[one].corrections if one in costs else None for one in self._corrected),
            totals.cost_base,
            totals.credits,
            *(getattr(totals, name) for name in _LOSSES),
        ]
