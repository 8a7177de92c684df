"""Figures as plain values for Plotly: pure functions from numbers to what json_script carries.

Colours are numbers here; the page's script turns them into those of the style sheet. Numbers become
floats, which only say how many pixels high a bar is; what a reader reads is text made beforehand.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from html import escape

from plotly import graph_objects as go

COLOURS = 10
OTHER = "other"
#: At most so many labels fit below a wide chart.
X_LABELS = 12
type Figure = dict[str, object]
type Reading = Callable[[Decimal], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One entity's amounts, one per bucket. colour: 0 to 9, or OTHER."""

    name: str
    colour: int | str
    amounts: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Buckets:
    """The columns of a chart: what each is called in full and below the axis.

    unfinished: how many of the last ones are not over yet.
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    unfinished: int = 0


def colours(names: Iterable[str]) -> dict[str, int]:
    """A colour for each name that depends on the name and not on its rank.

    Two names that want the same colour are kept apart, the alphabetically later one moving on, as
    long as there are colours left.
    """
    taken: set[int] = set()
    chosen = {}
    for name in sorted(names):
        wanted = blake2b(name.encode(), digest_size=2).digest()[1] % COLOURS
        steps = (step % COLOURS for step in range(wanted, wanted + COLOURS))
        colour = next((step for step in steps if step not in taken), wanted)
        taken.add(colour)
        chosen[name] = colour
    return chosen


def stacked_bars(
    buckets: Buckets, layers: Sequence[Layer], reading: Reading, short: Reading | None = None
) -> Figure:
    """One bar per bucket, made of the layers from the bottom up; unfinished buckets are hatched.

    reading: how an amount is written in the hover, and on the axis unless there is a short way.
    """
    figure = go.Figure([_bar(buckets, layer, reading) for layer in layers])
    stacks = [
        sum(column, Decimal()) for column in zip(*(one.amounts for one in layers), strict=True)
    ]
    ticks = round_steps(max(stacks, default=Decimal()))
    every = -(-len(buckets.names) // X_LABELS)
    figure.update_layout(
        template=None,
        barmode="stack",
        bargap=0.25,
        hovermode="x unified",
        showlegend=False,
        margin={"l": 8, "r": 8, "t": 8, "b": 32},
        xaxis={
            "type": "category",
            "tickvals": list(buckets.names[::every]),
            "ticktext": list(buckets.labels[::every]),
            "tickangle": 0,
            "showgrid": False,
            "fixedrange": True,
        },
        yaxis={
            "range": [0, float(ticks[-1]) or 1],
            "tickvals": [float(tick) for tick in ticks],
            "ticktext": [(short or reading)(tick) for tick in ticks],
            "automargin": True,
            "fixedrange": True,
            "zeroline": False,
        },
    )
    drawing: Figure = figure.to_plotly_json()
    return drawing


def round_steps(highest: Decimal) -> list[Decimal]:
    """Round numbers from 0 to the highest amount or just above it: three to six of them."""
    if highest <= 0:
        return [Decimal()]
    power = Decimal(1).scaleb((highest / 4).adjusted())
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 5 >= highest)
    whole, rest = divmod(highest, step)
    return [step * number for number in range(int(whole) + (2 if rest else 1))]


def _bar(buckets: Buckets, layer: Layer, reading: Reading) -> go.Bar:
    finished = len(buckets.names) - buckets.unfinished
    return go.Bar(
        # Plotly reads a little HTML in labels, so names are escaped even though this is JSON.
        name=escape(layer.name, quote=False),
        x=list(buckets.names),
        y=[float(amount) for amount in layer.amounts],
        customdata=[reading(amount) for amount in layer.amounts],
        hovertemplate="%{fullData.name}: %{customdata}<extra></extra>",
        marker={"pattern": {"shape": [""] * finished + ["/"] * buckets.unfinished, "size": 6}},
        meta={"series": layer.colour},
    )
