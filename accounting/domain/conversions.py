"""Dated credit and exchange rates of one organization.

Rates stay as they were quoted. An amount is converted by the ratio of two integers and rounded once,
however many rates lie between the two ends.
"""

from bisect import bisect_right
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from accounting.domain.money import quantised
from accounting.domain.rates import Conversion

#: What one unit of a currency is in another, as numerator and denominator.
type Ratio = tuple[int, int]
SAME: Ratio = (1, 1)


class Conversions:
    """Turns a cost into credits and into the organization's currency, at the moment's rates.

    kind: the organization's own credit; where no rate names it and only one kind has rates at all,
    that one is meant. A cost may itself be in credits: then its currency is the kind in capitals.
    """

    def __init__(
        self, *, currency: str, kind: str, credit: Iterable[Conversion], fx: Iterable[Conversion]
    ) -> None:
        """Index the rates; credit rates say what one credit costs, FX rates what one unit is."""
        self.currency = currency
        credit, fx = _newest_first(credit), _newest_first(fx)
        self.kinds = tuple(sorted({rate.what for rate in credit}))
        self.kind = self.kinds[0] if len(self.kinds) == 1 else kind
        self._credit: dict[str, list[Conversion]] = {}
        for rate in credit:
            self._credit.setdefault(rate.what.upper(), []).append(rate)
        self._fx: dict[tuple[str, str], list[Conversion]] = {}
        for rate in fx:
            self._fx.setdefault((rate.what, rate.currency), []).append(rate)
        self._pivots = sorted({rate.what for rate in fx})
        ends = (rate.effective_to for rate in (*credit, *fx) if rate.effective_to is not None)
        self._instants = sorted({*(rate.effective_from for rate in (*credit, *fx)), *ends})
        self._ratios: dict[tuple[str, str, int], Ratio | None] = {}

    def credits(self, cost: int, currency: str, at: datetime) -> int | None:
        """A cost as picos of the organization's credit; None while no rate says how many.

        A rate in the cost's own currency is taken before one that needs an exchange rate too.
        """
        return self.exchanged(cost, currency, self.kind.upper(), at)

    def base(self, cost: int, currency: str, at: datetime) -> int | None:
        """A cost in the organization's currency; None while there is no exchange rate."""
        return self.exchanged(cost, currency, self.currency, at)

    def exchanged(self, cost: int, currency: str, wanted: str, at: datetime) -> int | None:
        """A cost in another currency, or in credits of a kind in capitals; None without a rate."""
        if currency == wanted:
            return cost
        key = (currency, wanted, bisect_right(self._instants, at))
        if key not in self._ratios:
            self._ratios[key] = self._ratio(currency, wanted, at)
        ratio = self._ratios[key]
        return None if ratio is None else quantised(cost * ratio[0], ratio[1])

    def _ratio(self, currency: str, wanted: str, at: datetime) -> Ratio | None:
        if wanted in self._credit:
            worth = self._worth(wanted, currency, at)
            return None if worth is None else (worth[1], worth[0])
        return self._worth(currency, wanted, at)

    def _worth(self, one: str, wanted: str, at: datetime) -> Ratio | None:
        """What one unit of a currency, or one credit, is in another currency or in other credits."""
        if one == wanted:
            return SAME
        if one not in self._credit:
            if wanted in self._credit:
                return self._ratio(one, wanted, at)
            return self._exchange(one, wanted, at)
        rates = [rate for rate in self._credit[one] if _in_force(rate, at)]
        for rate in sorted(rates, key=lambda rate: rate.currency != wanted):
            rest = self._worth(rate.currency, wanted, at)
            if rest is not None:
                return _times(_of(rate.price), rest)
        return None

    def _exchange(self, currency: str, wanted: str, at: datetime) -> Ratio | None:
        """The quoted rate; else the one quoted the other way; else the two of a common currency."""
        direct = self._quoted(currency, wanted, at)
        if direct is not None:
            return direct
        other_way = self._quoted(wanted, currency, at)
        if other_way is not None:
            return (other_way[1], other_way[0])
        for pivot in self._pivots:
            there, back = self._quoted(pivot, wanted, at), self._quoted(pivot, currency, at)
            if there is not None and back is not None:
                return _times(there, (back[1], back[0]))
        return None

    def _quoted(self, currency: str, wanted: str, at: datetime) -> Ratio | None:
        for rate in self._fx.get((currency, wanted), ()):
            if _in_force(rate, at):
                return _of(rate.price)
        return None


def _of(price: Decimal) -> Ratio:
    return price.as_integer_ratio()


def _times(one: Ratio, two: Ratio) -> Ratio:
    return (one[0] * two[0], one[1] * two[1])


def _newest_first(rates: Iterable[Conversion]) -> list[Conversion]:
    return sorted(rates, key=lambda rate: (rate.effective_from, rate.id), reverse=True)


def _in_force(rate: Conversion, at: datetime) -> bool:
    return rate.effective_from <= at and (rate.effective_to is None or at < rate.effective_to)
