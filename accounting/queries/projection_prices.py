"""What a token will cost on each coming day: as charged lately, moved as the price list moves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from zoneinfo import ZoneInfo

from accounting.domain.conversions import Conversions
from accounting.domain.forecast_period import Flow
from accounting.domain.money import EXACT, PICO
from accounting.domain.plans import Plan
from accounting.domain.ratebook import RateBook
from accounting.domain.units import contains
from accounting.domain.usage import Use
from accounting.queries.projection_history import ModelDay, counts_of, days_between, picos_of
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
    ordered = sorted(days, key=lambda one: (one.provider, one.model, one.currency))
    for (provider, model, currency), found in groupby(
        ordered, key=lambda one: (one.provider, one.model, one.currency)
    ):
        listed = _Listed(book, Use(provider=provider, response_model=model), ahead)
        used = [one for one in found if currency or one.is_unpriced]
        for part in PARTS:
            for wanted, flow in _flows(used, part, currency, listed, ahead):
                flows[wanted].append(flow)
    return flows


def worth(
    flows: Sequence[Flow], currency: str, wanted: str, ahead: Ahead, conversions: Conversions
) -> list[Flow]:
    """The same flows with prices in another currency or credits; none where a day has no rate.

    wanted: a currency, or a credit kind in capitals.
    """
    days = days_between(ahead.today, ahead.end)
    paths = [conversions.path(currency, wanted, ahead.noon(day)) for day in days]
    rates = [Fraction(path.numerator, path.denominator) for path in paths if path is not None]
    if len(rates) < len(days):
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


def _flows(
    used: Sequence[ModelDay], part: str, currency: str, listed: _Listed, ahead: Ahead
) -> list[tuple[str, Flow]]:
    """One part's flow in each currency that its coming days are priced in."""
    counts = counts_of(used, part, ahead.first, ahead.length)
    coming = days_between(ahead.today, ahead.end)
    if not any(counts):
        paid = picos_of(used, part, ahead.first, ahead.length)
        prices = [Fraction(1, PICO)] * len(coming)
        return [(currency, Flow(counts=paid, prices=prices))] if any(paid) else []
    charged = _Charged(used, part, currency, listed, ahead)
    priced: dict[str, list[Fraction]] = {}
    for place, day in enumerate(coming):
        wanted, price = charged.price(day)
        if wanted:
            priced.setdefault(wanted, [Fraction(0)] * len(coming))[place] = price
    return [(wanted, Flow(counts=counts, prices=prices)) for wanted, prices in priced.items()]


class _Charged:
    """What a token of one part was charged with lately, kept by what the list asked then."""

    def __init__(
        self, used: Sequence[ModelDay], part: str, currency: str, listed: _Listed, ahead: Ahead
    ) -> None:
        self._part, self._currency, self._listed = part, currency, listed
        plain = [
            one for one in used if not one.is_corrected and ahead.first <= one.day < ahead.today
        ]
        recent = [one for one in plain if (ahead.today - one.day).days <= PRICE_DAYS]
        if not any(one.counts[part] for one in recent):
            recent = plain
        #: By the list's price: tokens, and what was charged for them.
        self._sums: dict[_Asked, tuple[int, Decimal]] = {}
        for one in recent:
            asked = listed.price(one.day, part)
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
