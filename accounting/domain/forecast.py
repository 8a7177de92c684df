"""What a period will come to: estimates, not amounts of the books, so here and only here we divide."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import erfc, sqrt

from accounting.domain.money import EXACT, from_picos, quantised
from accounting.domain.ratios import PLACES

RUN_RATE = "run_rate"
#: Tokens by weekday and level, at the prices in force on each coming day.
WEEKDAY_LEVEL = "weekday_level"
NOT_ENOUGH_DATA = "not_enough_data"
#: A run rate says nothing about how far off it may be, so it has no low and no high.
NO_BAND = "run_rate_has_no_band"
#: Credits leave out what no rate says the credits of; all of it where nothing is expected.
NO_CREDIT_RATE = "no_credit_rate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """A period's projected total.

    expected: None where nothing can be said yet. low, high: None where there is no band; else four
    times of five the total ends between them. deviation: the standard deviation that the band is
    made of. scale: what the method's own deviation was multiplied by. reason: why the projection or
    its band is missing, or what it leaves out; '' where nothing is. history_days: whole days it
    rests on.
    """

    method: str
    history_days: int
    expected: Decimal | None = None
    low: Decimal | None = None
    high: Decimal | None = None
    deviation: Decimal | None = None
    scale: float | None = None
    reason: str = ""


def run_rate(whole_days: Sequence[Decimal], *, spent: Decimal, days_left: int) -> Forecast:
    """What is spent on whole days goes on as their mean for the days that are left.

    whole_days: each whole day's amount since the period or the history began. days_left: days of the
    period that are not over, today among them. spent: all of the period so far, today included; the
    projection is never less. Without a whole day there is no projection.
    """
    if not whole_days:
        return Forecast(method=RUN_RATE, history_days=0, reason=NOT_ENOUGH_DATA)
    over = Fraction(0)
    for amount in whole_days:
        over += Fraction(amount)
    expected = over + over / len(whole_days) * days_left
    return Forecast(
        method=RUN_RATE,
        history_days=len(whole_days),
        expected=EXACT.create_decimal(max(_rounded(expected), spent)),
        reason=NO_BAND,
    )


def chance_above(forecast: Forecast, limit: Decimal, *, spent: Decimal) -> float | None:
    """How likely the total is more than a limit, 0 to 1; None where there is no band to tell.

    The total is taken to be normal around what is expected; what is spent already is certain.
    """
    if spent > limit:
        return 1.0
    if forecast.expected is None or forecast.deviation is None:
        return None
    if not forecast.deviation:
        return float(forecast.expected > limit)
    distance = EXACT.subtract(limit, forecast.expected)
    return erfc(float(distance) / float(forecast.deviation) / sqrt(2)) / 2


def _rounded(value: Fraction) -> Decimal:
    unit = 10**PLACES
    return from_picos(quantised(value.numerator * unit, value.denominator) * (10**12 // unit))
