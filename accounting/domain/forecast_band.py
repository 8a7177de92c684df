"""How much wider than its own theory a band must be: learnt from how far past projections were off.

The usual formulas promise 80 % and keep 60: days are not independent and levels move. Here the
standard deviation is multiplied by what the same method, asked at earlier days of the same series,
would have needed (scaled conformal prediction), drawn towards what such series need on the average
while there is little to learn from.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from accounting.domain.forecast_level import WEEK, deviation_of_sum, fitted

#: Whole days of history below which nothing is said about how far off a projection may be.
FEWEST_DAYS = 14
#: The band holds so much of what may come, and a normal one is so many deviations wide each way.
COVERAGE = 0.8
DEVIATIONS = 1.2815515655446004
#: What series of daily usage need on the average, and how many looks back it is worth.
USUAL_SCALE = 1.75
USUAL_WEIGHT = 6
#: Kept projections speak from so many ended periods on.
FEWEST_PERIODS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How far off stored projections were: one score for each, over so many periods that ended.

    A score is the error in deviations before any scale.
    """

    scores: tuple[float, ...] = ()
    periods: int = 0


NOTHING_KEPT = Kept()


def band_scale(
    values: Sequence[float], weekday: int, days: int, kept: Kept = NOTHING_KEPT
) -> float:
    """What the deviation of a sum of so many coming days has to be multiplied by.

    values: the daily history, oldest first; weekday: of its first day.
    """
    seen = past_scores(values, weekday, days)
    # Looks back from neighbouring days see mostly the same days: together they count as few.
    weight = 2 * len(seen) / max(days, WEEK)
    scaled = USUAL_WEIGHT * USUAL_SCALE
    if seen:
        scaled += weight * needed(seen)
    if kept.scores and kept.periods >= FEWEST_PERIODS:
        scaled += kept.periods * needed(kept.scores)
        weight += kept.periods
    return scaled / (USUAL_WEIGHT + weight)


def past_scores(values: Sequence[float], weekday: int, days: int) -> list[float]:
    """How many deviations off the sums of so many days were, asked at every earlier day."""
    scores = []
    for end in range(FEWEST_DAYS, len(values) - days + 1):
        fit = fitted(values[:end], weekday)
        shares = fit.shares(weekday + end, days)
        deviation = deviation_of_sum(fit, shares)
        if deviation > 0:
            error = sum(values[end : end + days]) - fit.level * sum(shares)
            scores.append(abs(error) / deviation)
    return scores


def needed(scores: Sequence[float]) -> float:
    """The factor with which a band would have held the share it promises of these errors."""
    place = min(ceil(COVERAGE * (len(scores) + 1)), len(scores)) - 1
    return sorted(scores)[place] / DEVIATIONS
