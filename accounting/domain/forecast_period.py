"""A period's total from the tokens that are still to come, each day's at its own prices."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import groupby

from accounting.domain.forecast import WEEKDAY_LEVEL, Forecast
from accounting.domain.forecast_band import DEVIATIONS, NOTHING_KEPT, Kept, band_scale
from accounting.domain.forecast_level import deviation_of_sum, fitted, level_of
from accounting.domain.money import EXACT, plain

#: Digits an estimate is written with; more would promise what it does not know.
DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """One model's use of one kind of token.

    counts: of each whole day of the history, oldest first. prices: amount for one, of today and each
    day of the period after it.
    """

    counts: Sequence[int]
    prices: Sequence[Fraction]


def projected(
    flows: Sequence[Flow],
    *,
    first: date,
    over: Decimal,
    today: Decimal,
    kept: Kept = NOTHING_KEPT,
) -> Forecast:
    """What a period will come to when tokens go on by weekday and level, at the prices to come.

    flows: all with the same days, of which `first` is the first; at least 14 whole ones, and at
    least today to come. over: spent on the period's whole days; today: spent today so far. The estimate of counts is binary; what is spent and what a token costs stay exact,
    and the sum is rounded to four digits, outwards at the ends of the band.
    """
    history, left = len(flows[0].counts), len(flows[0].prices)
    # One profile for all, that of the money they come to, is what makes parts add up to the whole.
    values = [0.0] * history
    for flow in flows:
        mean = sum(map(float, flow.prices)) / left
        for day, count in enumerate(flow.counts):
            values[day] += count * mean
    fit = fitted(values, first.weekday())
    behind = fit.shares(first.weekday(), history)
    ahead = fit.shares(first.weekday() + history, left)
    now, later = Fraction(0), Fraction(0)
    for flow in flows:
        level = max(level_of(flow.counts, behind), 0.0)
        counts = [round(level * share) for share in ahead]
        now += counts[0] * flow.prices[0]
        later += _priced(counts[1:], flow.prices[1:])
    expected = Fraction(over) + max(now, Fraction(today)) + later
    scale = band_scale(values, first.weekday(), left, kept)
    deviation = Fraction(deviation_of_sum(fit, ahead) * scale)
    reach = deviation * Fraction(DEVIATIONS)
    spent = EXACT.add(over, today)
    return Forecast(
        method=WEEKDAY_LEVEL,
        history_days=history,
        expected=max(_written(expected, ROUND_HALF_EVEN), spent),
        low=max(_written(expected - reach, ROUND_FLOOR), spent),
        high=max(_written(expected + reach, ROUND_CEILING), spent),
        deviation=_written(deviation, ROUND_HALF_EVEN),
        scale=scale,
    )


def _priced(counts: Sequence[int], prices: Sequence[Fraction]) -> Fraction:
    """Counts at the prices of their days; days of one price are added up first."""
    amount, place = Fraction(0), 0
    for price, days in groupby(prices):
        end = place + len(list(days))
        amount += sum(counts[place:end]) * price
        place = end
    return amount


def _written(value: Fraction, rounding: str) -> Decimal:
    context = Context(prec=DIGITS, rounding=rounding)
    return Decimal(plain(context.divide(Decimal(value.numerator), Decimal(value.denominator))))
