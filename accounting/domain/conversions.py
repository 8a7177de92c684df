"""Dated credit and exchange rates of one organization.

Rates stay as they were quoted. An amount is converted by the ratio of two integers and rounded once,
however many rates lie between the two ends.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from accounting.domain.money import quantised
from accounting.domain.rates import Conversion


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One rate on the way from one currency to another. is_credit: it says what a credit costs."""

    rate: Conversion
    is_credit: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """How much one currency is of another, numerator / denominator, and the rates that say so."""

    numerator: int
    denominator: int
    steps: tuple[Step, ...] = ()

    def back(self) -> "Path":
        """The same way in the other direction."""
        return Path(self.denominator, self.numerator, self.steps)

    def then(self, other: "Path") -> "Path":
        """This way and another one after it."""
        return Path(
            self.numerator * other.numerator,
            self.denominator * other.denominator,
            self.steps + other.steps,
        )


NOWHERE = Path(1, 1)


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
        self._paths: dict[tuple[str, str, int], Path | None] = {}

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
        path = self.path(currency, wanted, at)
        return None if path is None else quantised(cost * path.numerator, path.denominator)

    def path(self, currency: str, wanted: str, at: datetime) -> Path | None:
        """The rates between two currencies, or credits of kinds in capitals; None without any."""
        key = (currency, wanted, bisect_right(self._instants, at))
        if key not in self._paths:
            self._paths[key] = self._found(currency, wanted, at)
        return self._paths[key]

    def _found(self, one: str, wanted: str, at: datetime) -> Path | None:
        if one == wanted:
            return NOWHERE
        if one in self._credit:
            return self._worth(one, wanted, at)
        if wanted in self._credit:
            worth = self._worth(wanted, one, at)
            return None if worth is None else worth.back()
        return self._exchange(one, wanted, at)

    def _worth(self, kind: str, wanted: str, at: datetime) -> Path | None:
        """What one credit is in a currency or in other credits, by a price in it if there is one.

        A credit must be priced in money: prices in each other's credits would go round in circles.
        """
        rates = [
            rate
            for rate in self._credit[kind]
            if _in_force(rate, at) and rate.currency not in self._credit
        ]
        for rate in sorted(rates, key=lambda rate: rate.currency != wanted):
            rest = self._found(rate.currency, wanted, at)
            if rest is not None:
                return _by(rate, is_credit=True).then(rest)
        return None

    def _exchange(self, currency: str, wanted: str, at: datetime) -> Path | None:
        """The quoted rate; else the one quoted the other way; else the two of a common currency."""
        direct = self._quoted(currency, wanted, at)
        if direct is not None:
            return direct
        other_way = self._quoted(wanted, currency, at)
        if other_way is not None:
            return other_way.back()
        for pivot in self._pivots:
            there, here = self._quoted(pivot, wanted, at), self._quoted(pivot, currency, at)
            if there is not None and here is not None:
                return here.back().then(there)
        return None

    def _quoted(self, currency: str, wanted: str, at: datetime) -> Path | None:
        for rate in self._fx.get((currency, wanted), ()):
            if _in_force(rate, at):
                return _by(rate)
        return None


def _by(rate: Conversion, *, is_credit: bool = False) -> Path:
    return Path(*rate.price.as_integer_ratio(), (Step(rate=rate, is_credit=is_credit),))


def _newest_first(rates: Iterable[Conversion]) -> list[Conversion]:
    return sorted(rates, key=lambda rate: (rate.effective_from, rate.id), reverse=True)


def _in_force(rate: Conversion, at: datetime) -> bool:
    return rate.effective_from <= at and (rate.effective_to is None or at < rate.effective_to)
