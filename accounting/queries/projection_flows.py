"""What models will use and at what price, reckoned once for the same whole days and prices.

Deliveries of today change nothing of the days before: whoever looks again needs no new look at these.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from accounting.domain.forecast_period import Flow
from accounting.domain.ratebook import RateBook
from accounting.queries.projection_history import ModelDay
from accounting.queries.projection_prices import Ahead, flows_by_currency

#: So many answers are kept in a process: some for each filter that was looked at lately.
MOST_KEPT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    days: Sequence[ModelDay]
    ahead: Ahead
    book: RateBook
    flows: Mapping[str, list[Flow]]


_kept: deque[_Kept] = deque(maxlen=MOST_KEPT)


def kept_flows(
    days: Sequence[ModelDay], ahead: Ahead, book: RateBook
) -> Mapping[str, Sequence[Flow]]:
    """The same as flows_by_currency, not to be changed.

    An answer is given again only for days that are equal one by one, and the very same prices.
    """
    whole = [one for one in days if one.day < ahead.today]
    for one in reversed(tuple(_kept)):
        if one.book is book and one.ahead == ahead and one.days == whole:
            return one.flows
    flows = flows_by_currency(whole, ahead, book)
    _kept.append(_Kept(days=whole, ahead=ahead, book=book, flows=flows))
    return flows
