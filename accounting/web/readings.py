"""How the values of a metric are written: in full, in a column, and exactly."""

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import partial

from accounting.domain.ratios import written_ratio
from accounting.queries.grammar import LATENCY_METRICS
from accounting.web import formatting
from accounting.web.alike import decimals_of
from accounting.web.formatting import Real

type Reading = Callable[[Real], str]

SHARES = frozenset({"cache_hit_rate", "error_rate"})
MONEY = frozenset({"cost", "credits"})
RATIOS = frozenset({"input_output_ratio", "cache_read_output_ratio"})


def reading_of(metric: str, currency: str = "") -> Reading:
    """How a value of a metric reads. currency: of cost."""
    if metric in SHARES:
        return formatting.percent
    if metric in RATIOS:
        return formatting.ratio
    if metric in LATENCY_METRICS:
        return _milliseconds
    if metric == "credits":
        return partial(_money, currency="")
    return partial(_money, currency=currency) if metric == "cost" else _count


def column_reading_of(metric: str, currency: str, amounts: Iterable[Decimal]) -> Reading:
    """The same in a column of a table: amounts of money have one number of decimals."""
    if metric not in MONEY:
        return reading_of(metric, currency)
    decimals = decimals_of(amounts)
    return partial(_money, currency=currency if metric == "cost" else "", decimals=decimals)


def exact_text(value: Real | None) -> str:
    """Every digit of an amount; six places of a ratio, as REST says it."""
    if not isinstance(value, Decimal) and isinstance(value, Fraction):
        return written_ratio(value)
    return formatting.exact(value)


def _money(value: Real, currency: str, decimals: int | None = None) -> str:
    return formatting.money(formatting.decimal(value), currency, decimals)


def _milliseconds(value: Real) -> str:
    return formatting.milliseconds(float(value))


def _count(value: Real) -> str:
    return formatting.tokens(int(value))
