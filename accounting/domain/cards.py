"""The rates of one model under the conditions of one kind of request, compiled for fast look-up.

This is the resolution rule of the books. For each unit on its own: the first book of the chain with
a row whose conditions all hold prices it; among that book's rows the greatest by (priority, how
exactly it names the model, number of conditions, has a window, input band, start) wins. The first
book that prices any unit settles the currency; books in another one are passed over.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from accounting.domain.money import EXACT
from accounting.domain.plans import Plan, plan_of
from accounting.domain.rates import Conditions, Match, Multiplier, Rate, Window
from accounting.domain.units import contains

#: Values that mean the ordinary way of serving: no rate needs to mention them.
ORDINARY = {
    "service_tier": frozenset({"default", "standard", "auto", "on_demand", "ondemand", "normal"}),
    "processing": frozenset({"standard", "default", "realtime", "sync", "online", "interactive"}),
    "speed": frozenset({"standard", "default", "normal"}),
}
#: Where a request ran says nothing about its price unless a rate says so.
NEVER_ASSUMED = frozenset({"region", "route"})
QUARTERS_KEPT = 10_000
_QUARTER_S = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Tray:
    """What one book of the chain says about one model: rows whose conditions the request meets."""

    currency: str
    rates: Sequence[Rate]
    multipliers: Sequence[Multiplier]


@dataclass(slots=True)
class _Segment:
    """A span of time over which the same rows are in force."""

    trays: list[Tray]
    thresholds: list[int]
    windows: list[Window]
    plans: dict[tuple[int, int], Plan]
    only: Plan | None = None  # set when neither bands nor windows have to be looked at
    quarters: dict[int, int] | None = None  # None: some window opens between quarter hours

    def open_windows(self, at: datetime) -> int:
        """The windows that are open, as bits; looked up once for each quarter of an hour.

        Every zone's offset has been a multiple of a quarter since before the books begin.
        """
        if self.quarters is None:
            return self._open_windows(at)
        quarter = int(at.timestamp()) // _QUARTER_S
        bits = self.quarters.get(quarter)
        if bits is None:
            if len(self.quarters) >= QUARTERS_KEPT:
                self.quarters.clear()
            bits = self.quarters[quarter] = self._open_windows(at)
        return bits

    def _open_windows(self, at: datetime) -> int:
        return sum(1 << place for place, window in enumerate(self.windows) if window.holds(at))


class Card:
    """One model's prices through time, under fixed conditions."""

    def __init__(self, trays: Sequence[Tray], conditions: Conditions) -> None:
        """Compile lazily: a segment when its time comes up, a plan when its band does."""
        self._trays = trays
        self._conditions = conditions
        rows: list[Match] = [row for tray in trays for row in (*tray.rates, *tray.multipliers)]
        instants = {row.effective_from for row in rows}
        instants |= {row.effective_to for row in rows if row.effective_to is not None}
        self._instants = sorted(instants)
        self._segments: dict[int, _Segment] = {}

    def plan(self, at: datetime, input_tokens: int) -> Plan:
        """The prices for a request that started then and had so many input tokens in all."""
        segment = self._segment_of(bisect_right(self._instants, at), at)
        if segment.only is not None:
            return segment.only
        band = bisect_left(segment.thresholds, input_tokens)
        open_windows = segment.open_windows(at) if segment.windows else 0
        plan = segment.plans.get((band, open_windows))
        if plan is None:
            plan = self._plan(segment, at, input_tokens)
            segment.plans[band, open_windows] = plan
        return plan

    def is_steady(self, start: datetime, end: datetime) -> bool:
        """Whether no price begins, ends or follows the clock from start until before end."""
        index = bisect_right(self._instants, start)
        if index < len(self._instants) and self._instants[index] < end:
            return False
        return not self._segment_of(index, start).windows

    def _segment_of(self, index: int, at: datetime) -> _Segment:
        segment = self._segments.get(index)
        if segment is None:
            segment = self._segments[index] = self._segment(at)
        return segment

    def _segment(self, at: datetime) -> _Segment:
        trays = [
            Tray(
                currency=tray.currency,
                rates=[row for row in tray.rates if row.in_force(at)],
                multipliers=[row for row in tray.multipliers if row.in_force(at)],
            )
            for tray in self._trays
        ]
        rows: list[Match] = [row for tray in trays for row in (*tray.rates, *tray.multipliers)]
        segment = _Segment(
            trays=trays,
            thresholds=sorted({row.input_gt for row in rows if row.input_gt is not None}),
            windows=list(dict.fromkeys(row.window for row in rows if row.window is not None)),
            plans={},
        )
        if all(window.on_quarters for window in segment.windows):
            segment.quarters = {}
        if not segment.thresholds and not segment.windows:
            segment.only = self._plan(segment, at, 0)
        return segment

    def _plan(self, segment: _Segment, at: datetime, input_tokens: int) -> Plan:
        rates: dict[str, tuple[int, Rate]] = {}
        currency = ""
        for place, tray in enumerate(segment.trays):
            best = _best_rates(_holding(tray.rates, at, input_tokens))
            if best and not currency:
                currency = tray.currency
            if tray.currency == currency:
                for unit, rate in best.items():
                    rates.setdefault(unit, (place, rate))
        chosen: list[Match] = []
        priced = {}
        for unit, (place, rate) in rates.items():
            factors = [
                (-level, factor)
                for level, tray in enumerate(segment.trays[: place + 1])
                for factor in _holding(tray.multipliers, at, input_tokens)
                if not factor.unit or contains(factor.unit, unit)
            ]
            applied = _best_factors(factors)
            priced[unit] = (rate, _product(applied))
            chosen += [rate, *applied]
        return plan_of(priced, currency, assumed=self._assumes(chosen))

    def _assumes(self, chosen: Sequence[Match]) -> bool:
        """Whether a condition of the request is out of the ordinary and none of the rows knows it."""
        known = {condition for row in chosen for condition in row.conditions}
        return any(
            (key, value) not in known
            and key not in NEVER_ASSUMED
            and value not in ORDINARY.get(key, ())
            for key, value in self._conditions
        )


def _holding[M: Match](rows: Iterable[M], at: datetime, input_tokens: int) -> list[M]:
    return [
        row
        for row in rows
        if (row.input_gt is None or input_tokens > row.input_gt)
        and (row.window is None or row.window.holds(at))
    ]


def _best_rates(rates: Iterable[Rate]) -> dict[str, Rate]:
    best: dict[str, Rate] = {}
    for rate in rates:
        if rate.unit not in best or rate.rank > best[rate.unit].rank:
            best[rate.unit] = rate
    return best


def _best_factors(factors: Iterable[tuple[int, Multiplier]]) -> list[Multiplier]:
    """The best of each stack group: the nearest book's, then the greatest by rank."""
    best: dict[str, tuple[int, Multiplier]] = {}
    for level, factor in factors:
        other = best.get(factor.stack_group)
        if other is None or (level, factor.rank) > (other[0], other[1].rank):
            best[factor.stack_group] = (level, factor)
    return [factor for _, factor in best.values()]


def _product(factors: Iterable[Multiplier]) -> Decimal:
    product = Decimal(1)
    for factor in factors:
        product = EXACT.multiply(product, factor.factor)
    return product
