"""The columns and axes of charts: round steps, ticks that we write ourselves, room for labels."""

from dataclasses import dataclass
from decimal import Decimal

from accounting.web.formatting import Real, decimal
from accounting.web.ticks import Ticks

#: At most so many labels fit below a wide chart.
X_LABELS = 12
#: What all charts have in common.
FRAME: dict[str, object] = {
    "template": None,
    "showlegend": False,
    "margin": {"l": 8, "r": 8, "t": 14, "b": 32},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """The columns of a chart: what each is called in full and below the axis.

    unfinished: how many of the last ones are not over yet. links: where each leads, if it does.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    unfinished: int = 0
    links: tuple[str, ...] = ()


def over_time(buckets: Buckets, highest: Decimal, ticks: Ticks) -> dict[str, object]:
    """The layout of a chart whose columns are buckets."""
    every = -(-len(buckets.names) // X_LABELS)
    return {
        **FRAME,
        "hovermode": "x unified",
        "xaxis": {
            "type": "category",
            "tickvals": list(buckets.names[::every]),
            "ticktext": list(buckets.labels[::every]),
            "tickangle": 0,
            "showgrid": False,
            "fixedrange": True,
            "range": [-0.5, len(buckets.names) - 0.5],
        },
        "yaxis": from_zero(highest, ticks),
    }


def from_zero(highest: Decimal, ticks: Ticks) -> dict[str, object]:
    """An axis from 0 to round numbers above the highest value, whose ticks are written by us."""
    steps = round_steps(highest)
    # Of ticks between two whole numbers a count says the lower one: it is written once, where it is.
    shown = dict(reversed([*zip(ticks(steps), steps, strict=True)]))
    return {
        "range": [0, float(steps[-1]) or 1],
        "tickvals": [float(tick) for tick in reversed(shown.values())],
        "ticktext": [*reversed(shown)],
        "automargin": True,
        "fixedrange": True,
        "zeroline": False,
    }


def number(value: Real | None) -> Decimal:
    """A value as a height; a gap has none."""
    return Decimal(0) if value is None else decimal(value)


def round_steps(highest: Decimal) -> list[Decimal]:
    """Round numbers from 0 to the highest amount or just above it: three to six of them."""
    if highest <= 0:
        return [Decimal()]
    power = Decimal(1).scaleb((highest / 4).adjusted())
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 5 >= highest)
    whole, rest = divmod(highest, step)
    return [step * number for number in range(int(whole) + (2 if rest else 1))]
