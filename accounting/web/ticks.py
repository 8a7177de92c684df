"""How the round steps of an axis are written: all of them in one unit, with as many decimals as each other."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial

from accounting.domain.money import plain
from accounting.queries.grammar import LATENCY_METRICS
from accounting.web import formatting
from accounting.web.readings import MONEY, RATIOS, SHARES, Reading, reading_of

#: From the lowest step to the highest, each as text.
type Ticks = Callable[[Sequence[Decimal]], list[str]]

#: Counts below are short enough as they are: 5,000 is no longer than 5.0K.
SHORTENED_FROM = 10_000


def ticks_of(metric: str, currency: str = "") -> Ticks:
    """How the steps of a metric's axis read. currency: of cost."""
    if metric in SHARES | RATIOS or metric in LATENCY_METRICS:
        return one_by_one(reading_of(metric))
    if metric in MONEY:
        return partial(money_ticks, currency=currency if metric == "cost" else "")
    return count_ticks


def one_by_one(reading: Reading) -> Ticks:
    """Steps as any other value is read."""
    return lambda steps: [reading(step) for step in steps]


def count_ticks(steps: Sequence[Decimal]) -> list[str]:
    """Counts: 0, 2,000, 4,000 and 0, 0.5M, 1.0M; in Chinese 0, 0.5万, 1.0万."""
    if steps[-1] < SHORTENED_FROM:
        return [formatting.exact(int(step)) for step in steps]
    return _scaled(steps)


def money_ticks(steps: Sequence[Decimal], currency: str) -> list[str]:
    """Amounts: 0.00 USD, 0.05 USD and 0 USD, 0.5M USD, 1.0M USD."""
    if steps[-1] < formatting.MILLION:
        decimals = max(2, *map(_decimals, steps))
        return [formatting.money(step, currency, decimals) for step in steps]
    return [f"{text} {currency}".rstrip() for text in _scaled(steps)]


def _scaled(steps: Sequence[Decimal]) -> list[str]:
    power, letter = formatting.unit_within(steps[-1])
    scaled = [step / power for step in steps]
    decimals = max(map(_decimals, scaled))
    return [f"{step:,.{decimals}f}{letter}" if step else "0" for step in scaled]


def _decimals(value: Decimal) -> int:
    return len(plain(value).partition(".")[2])
