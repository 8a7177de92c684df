"""Dated credit and exchange rates of one organization."""

from collections.abc import Iterable
from datetime import datetime

from accounting.domain.credits import credits_for, credits_through, money_for
from accounting.domain.rates import Conversion


class Conversions:
    """Turns a cost into credits and into the organization's currency, at the moment's rates.

    kind: the organization's own credit; where no rate names it and only one kind has rates at all,
    that one is meant.
    """

    def __init__(
        self, *, currency: str, kind: str, credit: Iterable[Conversion], fx: Iterable[Conversion]
    ) -> None:
        """Index the rates; credit rates say what one credit costs, FX rates what one unit is."""
        self.currency = currency
        credit = _newest_first(credit)
        kinds = {rate.what for rate in credit}
        self.kind = next(iter(kinds)) if len(kinds) == 1 else kind
        self._credit = [rate for rate in credit if rate.what == self.kind]
        self._fx: dict[tuple[str, str], list[Conversion]] = {}
        for rate in _newest_first(fx):
            self._fx.setdefault((rate.what, rate.currency), []).append(rate)

    def credits(self, cost: int, currency: str, at: datetime) -> int | None:
        """A cost as picos of a credit; None while no rate says how many.

        A rate in the cost's own currency is taken before one that needs an exchange rate too.
        """
        found = self.credit_rate(currency, at)
        if found is None:
            return None
        rate, fx = found
        if fx is None:
            return credits_for(cost, rate.price)
        return credits_through(cost, fx.price, rate.price)

    def credit_rate(
        self, currency: str, at: datetime
    ) -> tuple[Conversion, Conversion | None] | None:
        """The rate that turns a cost into credits, with the exchange rate on the way to it."""
        rates = [rate for rate in self._credit if _in_force(rate, at)]
        for rate in rates:
            if rate.currency == currency:
                return rate, None
        for rate in rates:
            fx = self.exchange_rate(currency, rate.currency, at)
            if fx:
                return rate, fx
        return None

    def base(self, cost: int, currency: str, at: datetime) -> int | None:
        """A cost in the organization's currency; None while there is no exchange rate."""
        return self.exchanged(cost, currency, self.currency, at)

    def exchanged(self, cost: int, currency: str, wanted: str, at: datetime) -> int | None:
        """A cost in another currency; None while there is no exchange rate."""
        if currency == wanted:
            return cost
        fx = self.exchange_rate(currency, wanted, at)
        return money_for(cost, fx.price) if fx else None

    def exchange_rate(self, currency: str, wanted: str, at: datetime) -> Conversion | None:
        """The rate in force between two currencies."""
        for rate in self._fx.get((currency, wanted), ()):
            if _in_force(rate, at):
                return rate
        return None


def _newest_first(rates: Iterable[Conversion]) -> list[Conversion]:
    return sorted(rates, key=lambda rate: (rate.effective_from, rate.id), reverse=True)


def _in_force(rate: Conversion, at: datetime) -> bool:
    return rate.effective_from <= at and (rate.effective_to is None or at < rate.effective_to)
