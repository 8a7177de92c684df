"""How much a day of each weekday uses, and how far off a sum of coming days may be.

This is where the books use binary fractions: counts to come are estimates, known to a few per cent.
Nothing that was booked goes through here on its way to a total.

Source of the method: an exponentially weighted level with a fixed weekday profile, its variance as of
the additive-error state-space model (Hyndman et al., Forecasting with Exponential Smoothing, 2008).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

WEEK = 7
#: The profile is that of the last eight weeks.
PROFILE_DAYS = 8 * WEEK
#: A day counts half as much as one ten days later.
HALF_LIFE_DAYS = 10
DECAY: float = 0.5 ** (1 / HALF_LIFE_DAYS)
#: An error so many times smaller than the level is one of binary arithmetic.
LEAST_ERROR = 1e-9
#: Of each weekday so much of a day is taken to be like the mean of all, against chance.
FLAT_DAYS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What a daily series is like at its end.

    profile: each weekday's share of a mean day, Monday first; their mean is 1. level: what a day of
    share 1 uses. deviation: the standard deviation of such a day's error. doubt: the variance of the
    level itself, in squared deviations.
    """

    profile: tuple[float, ...]
    level: float
    deviation: float
    doubt: float

    def shares(self, weekday: int, days: int) -> list[float]:
        """The shares of so many days, of which the first has this weekday (Monday is 0)."""
        return [self.profile[(weekday + n) % WEEK] for n in range(days)]


def fitted(values: Sequence[float], weekday: int) -> Fit:
    """The profile, level and errors of daily values, oldest first; weekday: of the first one.

    Days and weekdays of nothing need no special case: the level is a ratio of sums. A first week
    has no error, because nothing was known before it.
    """
    profile = weekday_profile(values, weekday)
    turned = profile[weekday % WEEK :] + profile[: weekday % WEEK]
    used = expected = errors = squares = 0.0
    for day, value in enumerate(values):
        share = turned[day % WEEK]
        if day >= WEEK:
            error = value - used / expected * share
            errors += error * error
            squares += share * share
        used = used * DECAY + value
        expected = expected * DECAY + share
    level = used / expected
    deviation = sqrt(errors / squares) if squares else 0.0
    return Fit(
        profile=profile,
        level=level,
        deviation=deviation if deviation > LEAST_ERROR * abs(level) else 0.0,
        doubt=_doubt(len(values)),
    )


def weekday_profile(values: Sequence[float], weekday: int) -> tuple[float, ...]:
    """Each weekday's share of a mean day over the last eight weeks, Monday first."""
    recent = values[-PROFILE_DAYS:]
    mean = sum(recent) / len(recent)
    if not mean > 0:
        return (1.0,) * WEEK
    sums, days = [FLAT_DAYS * mean] * WEEK, [FLAT_DAYS] * WEEK
    for place, value in enumerate(recent, start=weekday + len(values) - len(recent)):
        sums[place % WEEK] += value
        days[place % WEEK] += 1
    usual = [one / count for one, count in zip(sums, days, strict=True)]
    whole = sum(usual) / WEEK
    return tuple(day / whole for day in usual)


def level_of(values: Sequence[float], shares: Sequence[float]) -> float:
    """What a day of share 1 uses. Levels of parts add up to the level of their sum."""
    used = expected = 0.0
    for value, share in zip(values, shares, strict=True):
        used = used * DECAY + value
        expected = expected * DECAY + share
    return used / expected


def deviation_of_sum(fit: Fit, shares: Sequence[float]) -> float:
    """The standard deviation of the error of a sum of coming days with these shares.

    Each day errs by itself and moves the level of all days after it; the level at the start is not
    known exactly either.
    """
    later = variance = 0.0
    for share in reversed(shares):
        variance += (share + (1 - DECAY) * later) ** 2
        later += share
    return fit.deviation * sqrt(variance + fit.doubt * later**2)


def _doubt(days: int) -> float:
    """The variance of a mean of so many days with their weights, each of variance 1."""
    weights = (1 - DECAY**days) / (1 - DECAY)
    squared_weights = (1 - DECAY ** (2 * days)) / (1 - DECAY**2)
    return squared_weights / (weights * weights)
