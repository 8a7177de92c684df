"""Benchmark runs as lines of a table, and two of them as one line for each thing they measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.queries.benchmarks import BenchmarkRun, RunPair
from accounting.web import formatting
from accounting.web.latencies import Latency, latency

MEASURES = ("ttft_p50", "ttft_p95", "tpot_p50", "tpot_p95")
#: The names under which tools write such a figure, in ms, into the summary of a run.
TOLD_AS: Mapping[str, tuple[str, ...]] = {
    "ttft_p50": ("median_ttft_ms", "p50_ttft_ms"),
    "ttft_p95": ("p95_ttft_ms",),
    "tpot_p50": ("median_tpot_ms", "p50_tpot_ms"),
    "tpot_p95": ("p95_tpot_ms",),
}
#: No tool measures a latency of a day; what says so, or NaN, is none.
BEYOND_MS = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One run. requests, output_tokens: of the books, else what its summary says; None unknown."""

    run: BenchmarkRun
    requests: int | None
    input_tokens: int | None
    output_tokens: int | None
    latencies: tuple[Latency, ...]
    speed: str
    prices: tuple[str, ...]

    @property
    def name(self) -> str:
        """What the run is called."""
        return self.run.label or f"{self.run.tool} {self.run.id}"

    @property
    def errors(self) -> int | None:
        """Requests that failed; a summary counts those that were answered alone, so it is unknown."""
        return None if self.is_told else self.run.totals.errors

    @property
    def is_told(self) -> bool:
        """Whether its counts come from its summary alone."""
        return self.run.totals.requests == 0 and self.run.told is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    """One thing that two runs measured. change: of the other against the one, '' where unknown."""

    label: Promise
    one: str
    other: str
    change: str = ""
    tones: tuple[str, str] = ("", "")


def run_line(run: BenchmarkRun) -> RunLine:
    """A run as its line of the table."""
    told = run.told if run.totals.requests == 0 else None
    sums = told or run.totals
    return RunLine(
        run=run,
        requests=sums.requests,
        input_tokens=sums.input_tokens,
        output_tokens=sums.output_tokens,
        latencies=tuple(_latency(run, name) for name in MEASURES),
        speed=formatting.per_second(run.output_tokens_per_second),
        prices=tuple(
            formatting.money(formatting.decimal(price), currency)
            for currency, price in run.cost_per_mtok_output
        ),
    )


def pair_lines(pair: RunPair) -> tuple[PairLine, ...]:
    """What two runs measured, beside each other."""
    one, other = run_line(pair.one), run_line(pair.other)
    named: tuple[tuple[Promise, str], ...] = (
        (_("TTFT, median"), "ttft_p50"),
        (_("TTFT, 95 %"), "ttft_p95"),
        (_("TPOT, median"), "tpot_p50"),
        (_("TPOT, 95 %"), "tpot_p95"),
    )
    latencies = [
        PairLine(
            label=label,
            one=left.text,
            other=right.text,
            change=_change(measured_ms(pair.one, name), measured_ms(pair.other, name)),
            tones=(left.tone, right.tone),
        )
        for (label, name), left, right in zip(named, one.latencies, other.latencies, strict=True)
    ]
    speeds = (pair.one.output_tokens_per_second, pair.other.output_tokens_per_second)
    return (
        _counted(_("Requests"), one.requests, other.requests),
        _counted(_("Errors"), one.errors, other.errors),
        _counted(_("Input tokens"), one.input_tokens, other.input_tokens),
        _counted(_("Output tokens"), one.output_tokens, other.output_tokens),
        *latencies,
        PairLine(
            label=_("Output tokens per second"),
            one=one.speed,
            other=other.speed,
            change=_change(*speeds),
        ),
        *_costs(pair),
    )


def _costs(pair: RunPair) -> list[PairLine]:
    left, right = dict(pair.one.cost_per_mtok_output), dict(pair.other.cost_per_mtok_output)
    return [
        PairLine(
            label=_("Cost per million output tokens"),
            one=formatting.money(_decimal(left.get(currency)), currency),
            other=formatting.money(_decimal(right.get(currency)), currency),
            change=_change(left.get(currency), right.get(currency)),
        )
        for currency in sorted({*left, *right})
    ]


def _counted(label: Promise, one: int | None, other: int | None) -> PairLine:
    return PairLine(
        label=label,
        one=formatting.exact(one),
        other=formatting.exact(other),
        change=_change(one, other),
    )


def _change(one: float | Fraction | None, other: float | Fraction | None) -> str:
    """The other's share above or below the one's: +12.5 %."""
    if not one or other is None:
        return ""
    share = Fraction(other) / Fraction(one) - 1
    sign = "+" if share > 0 else ""
    return sign + formatting.percent(share)


def _latency(run: BenchmarkRun, name: str) -> Latency:
    measured: float | None = getattr(run.measured, name)
    kind = name.partition("_")[0]
    return latency(measured_ms(run, name), kind, is_told=measured is None)


def measured_ms(run: BenchmarkRun, name: str) -> float | None:
    """What the run's requests measured, else what its own summary says."""
    measured: float | None = getattr(run.measured, name)
    if measured is not None or run.told is None:
        return measured
    figures = run.told.figures
    text = next((figures[told] for told in TOLD_AS[name] if told in figures), "")
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value < BEYOND_MS else None


def _decimal(price: Fraction | None) -> Decimal | None:
    return None if price is None else formatting.decimal(price)
