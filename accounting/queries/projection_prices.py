"""What a token will cost on each coming day: as charged lately, moved as the price list moves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from zoneinfo import ZoneInfo

from accounting.domain.conversions import Conversions
from accounting.domain.forecast_period import Flow
from accounting.domain.money import EXACT, PICO
from accounting.domain.plans import Plan
from accounting.domain.ratebook import RateBook
from accounting.domain.units import contains
from accounting.domain.usage import Use
from accounting.queries.projection_history import (
    ModelDay,
    counts_of,
    days_between,
    picos_of,
    placed,
)
from accounting.queries.totals import PARTS

#: What was charged for a token is read off so many of the last days.
PRICE_DAYS = 28
_UNIT_OF_PART = {
    "input": "input",
    "cache_read": "input.cache_read",
    "cache_write": "input.cache_write.5m",
    "output": "output",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ahead:
    """Whole days of a history, first to today, and the days to come, today to end."""

    first: date
    today: date
    end: date
    zone: ZoneInfo

    @property
    def length(self) -> int:
        """Whole days of the history."""
        return (self.today - self.first).days

    @property
    def coming(self) -> Sequence[date]:
        """Today and the days after it."""
        return days_between(self.today, self.end)

    def noon(self, day: date) -> datetime:
        """The moment, in UTC, whose price stands for a day."""
        return _noon(day, self.zone)


def flows_by_currency(
    days: Sequence[ModelDay], ahead: Ahead, book: RateBook
) -> Mapping[str, list[Flow]]:
    """Each model's and kind's counts with the price of one on each day to come, by its currency.

    What was charged for a token of late holds everything a list does not say: batches, tiers,
    discounts, a project's own book. A coming day's price is that, times what the list asks then by
    what it asked on the day of the charge. Where the list leaves the currency of the charge, or has
    a price at last for what had none, the list's own price holds.
    """
    flows: defaultdict[str, list[Flow]] = defaultdict(list)
    by_model: dict[tuple[str, str, str], list[ModelDay]] = defaultdict(list)
    for one in days:
        if one.currency or one.is_unpriced:
            by_model[one.provider, one.model, one.currency].append(one)
    for (provider, model, currency), used in sorted(by_model.items()):
        listed = _Listed(book, Use(provider=provider, response_model=model), ahead)
        told = _Model(currency, placed(used, ahead.first, ahead.length), listed, ahead)
        for part in PARTS:
            for wanted, flow in _flows(told, part):
                flows[wanted].append(flow)
    return flows


def worth(
    flows: Sequence[Flow], currency: str, wanted: str, ahead: Ahead, conversions: Conversions
) -> list[Flow]:
    """The same flows with prices in another currency or credits; none where a day has no rate.

    wanted: a currency, or a credit kind in capitals.
    """
    paths = [conversions.path(currency, wanted, ahead.noon(day)) for day in ahead.coming]
    rates = [Fraction(path.numerator, path.denominator) for path in paths if path is not None]
    if len(rates) < len(ahead.coming):
        return []
    return [
        Flow(
            counts=flow.counts,
            prices=[price * rate for price, rate in zip(flow.prices, rates, strict=True)],
        )
        for flow in flows
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """A price list's currency and its price of one token, None where it has none.

    Looked up as the one object it is: fractions are slow to hash.
    """

    currency: str
    price: Fraction | None


_NOBODY = _Asked("", None)


class _Listed:
    """One model's prices in the books by day; of one plan the same object."""

    def __init__(self, book: RateBook, use: Use, ahead: Ahead) -> None:
        self._book, self._use, self._ahead = book, use, ahead
        self._plans: dict[date, Plan] = {}
        self._found: dict[tuple[int, str], _Asked] = {}

    def price(self, day: date, part: str) -> _Asked:
        """The currency and price on a day."""
        plan = self._plans.get(day)
        if plan is None:
            plan = self._book.plan(self._use, self._ahead.noon(day), 0)
            self._plans[day] = plan
        key = id(plan), part  # plans stay as long as this object does
        if key not in self._found:
            self._found[key] = _asked(plan, _UNIT_OF_PART.get(part))
        return self._found[key]


def _asked(plan: Plan, unit: str | None) -> _Asked:
    if unit is None:
        return _NOBODY
    for priced in plan.units:  # inner units come before those that hold them
        if priced.tiers and contains(priced.unit, unit):
            tier = priced.tiers[0]
            return _Asked(plan.currency, Fraction(tier.numerator, tier.denominator * PICO))
    return _Asked(plan.currency, None)


@lru_cache(maxsize=2_000)
def _noon(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(12), zone).astimezone(UTC)


class _Model:
    """One model's days of the history in one currency.

    placed: each behind its place among them. plain: those that no correction belongs to; recent: the
    last PRICE_DAYS of these.
    """

    def __init__(
        self,
        currency: str,
        placed: Sequence[tuple[int, ModelDay]],
        listed: _Listed,
        ahead: Ahead,
    ) -> None:
        self.currency, self.placed, self.listed, self.ahead = currency, placed, listed, ahead
        plain = [(place, one) for place, one in placed if not one.is_corrected]
        self.plain = [one for _, one in plain]
        self.recent = [one for place, one in plain if place >= ahead.length - PRICE_DAYS]


def _flows(model: _Model, part: str) -> list[tuple[str, Flow]]:
    """One part's flow in each currency that its coming days are priced in."""
    length, coming = model.ahead.length, model.ahead.coming
    counts = counts_of(model.placed, part, length)
    if not any(counts):
        paid = picos_of(model.placed, part, length)
        prices = [Fraction(1, PICO)] * len(coming)
        return [(model.currency, Flow(counts=paid, prices=prices))] if any(paid) else []
    charged = _Charged(model, part)
    priced: dict[str, list[Fraction]] = {}
    for place, day in enumerate(coming):
        wanted, price = charged.price(day)
        if wanted:
            priced.setdefault(wanted, [Fraction(0)] * len(coming))[place] = price
    return [(wanted, Flow(counts=counts, prices=prices)) for wanted, prices in priced.items()]


class _Charged:
    """What a token of one part was charged with lately, kept by what the list asked then."""

    def __init__(self, model: _Model, part: str) -> None:
        self._part, self._currency, self._listed = part, model.currency, model.listed
        recent = model.recent
        if not any(one.counts[part] for one in recent):
            recent = model.plain
        #: By the list's price: tokens, and what was charged for them.
        self._sums: dict[_Asked, tuple[int, Decimal]] = {}
        for one in recent:
            asked = self._listed.price(one.day, part)
            tokens, cost = self._sums.get(asked, (0, Decimal(0)))
            self._sums[asked] = (tokens + one.counts[part], EXACT.add(cost, one.costs[part]))
        self._found: dict[_Asked, tuple[str, Fraction]] = {}

    def price(self, day: date) -> tuple[str, Fraction]:
        """The currency and price of one token on a day to come."""
        asked = self._listed.price(day, self._part)
        if asked not in self._found:
            self._found[asked] = self._price(asked)
        return self._found[asked]

    def _price(self, asked: _Asked) -> tuple[str, Fraction]:
        price = asked.price
        if price is not None and asked.currency != self._currency and self._moved():
            return asked.currency, price
        tokens, amount = 0, Fraction(0)
        for then, (count, cost) in self._sums.items():
            tokens += count
            if price is None or then.price is None or then.currency != asked.currency:
                amount += Fraction(cost)
            elif then.price:
                amount += Fraction(cost) * price / then.price
            elif not cost:  # was given away, and will not be
                amount += count * price
        return self._currency, amount / tokens if tokens else Fraction(0)

    def _moved(self) -> bool:
        """Whether the list has left the currency of the charges: it was in it, or had no price."""
        return not self._currency or any(
            then.currency == self._currency for then in self._sums if then.price is not None
        )
