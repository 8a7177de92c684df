"""/sessions/spread/ beside every session of the filter."""

from decimal import Decimal
from fractions import Fraction

from accounting.web import formatting
from tests.web.numbers import charting
from tests.web.numbers.saying import (
    percent,
    said,
    whole,
)
from tests.web.numbers.seen import Seen


def spread(page: Seen) -> None:
    """/sessions/spread/ beside every session of the filter."""
    rows = page.rest.uncut("sessions", page.query, limit=1000)["rows"]
    both = [row for row in rows if row["input_tokens"] and row["output_tokens"]]
    priced = [row for row in rows if row["cost"] and not row["cost_base_unknown"]]
    page.told("costs-title", said(whole(len(rows) - len(priced) or None)))
    _ratios(page, [Fraction(row["input_tokens"], row["output_tokens"]) for row in both])
    _costs(page, sorted(Decimal(row["cost_base"]) for row in priced))
    cloud = page.chart("cloud")
    trace = cloud.drawing["data"][0]
    drawn = zip(trace["text"], trace["x"], trace["y"], trace["customdata"], strict=True)
    assert sorted(drawn) == sorted(
        (
            row["session_id"],
            row["input_tokens"],
            row["output_tokens"],
            f"{formatting.tokens(row['input_tokens'])} in, {formatting.tokens(row['output_tokens'])} out",
        )
        for row in both
    )
    assert cloud.caption == said(whole(len(both)))


def _ratios(page: Seen, ratios: list[Fraction]) -> None:
    """A histogram: how many sessions lie between two powers of two."""
    powers = [_power(value) for value in ratios]
    bins = {power: powers.count(power) for power in range(min(powers), max(powers) + 1)}
    names = {power: f"{_side(power)}–{_side(power + 1)} : 1" for power in bins}
    chart = page.chart("ratios")
    shares = {power: Fraction(number, len(ratios)) for power, number in bins.items()}
    assert chart.rows == [
        (
            names[power],
            {
                "Sessions": f"{whole(number)}|{whole(number)}",
                "Share": charting.cell(shares[power], formatting.percent),
            },
        )
        for power, number in bins.items()
    ]
    most = max(bins, key=lambda power: bins[power])
    assert chart.caption == said(names[most], whole(bins[most]), whole(len(ratios)))
    trace = chart.drawing["data"][0]
    assert trace["y"] == list(bins.values())
    assert trace["x"] == list(names.values())
    assert trace["customdata"] == [
        f"{whole(number)} ({percent(shares[power])})" for power, number in bins.items()
    ]


def _power(value: Fraction) -> int:
    power = 0
    while value >= 2:
        value, power = value / 2, power + 1
    while value < 1:
        value, power = value * 2, power - 1
    return power


def _side(power: int) -> str:
    return formatting.exact(2**power) if power >= 0 else f"1/{formatting.exact(2**-power)}"


def _costs(page: Seen, amounts: list[Decimal]) -> None:
    """What so many percent of the sessions cost at most."""
    reading = charting.reading_of("cost", page.own)
    at_most = {n: amounts[-(-len(amounts) * n // 100) - 1] for n in range(1, 101)}
    chart = page.chart("costs")
    assert chart.rows == [
        (
            f"{n} %",
            {"Cost at most": charting.cell(at_most[n], charting.in_a_column(chart, reading))},
        )
        for n in (10, 25, 50, 75, 90, 95, 99, 100)
    ]
    assert chart.caption == said(reading(at_most[50]), reading(at_most[90]))
    trace, drawn = chart.drawing["data"][0], {n: one for n, one in at_most.items() if one > 0}
    assert trace["x"] == [float(one) for one in drawn.values()]
    assert trace["y"] == [n / 100 for n in drawn]
    assert trace["customdata"] == [f"{n} % ≤ {reading(one)}" for n, one in drawn.items()]
