"""Figures as plain values for Plotly: pure functions from numbers to what a page's script carries.

Colours are numbers here; the page's script turns them into those of the style sheet. Numbers become
floats, which only say how many pixels high a bar is; what a reader reads is text made beforehand.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from html import escape

from plotly import graph_objects as go

from accounting.web.axes import Buckets, number, over_time
from accounting.web.formatting import Real
from accounting.web.readings import Reading
from accounting.web.ticks import Ticks, one_by_one

COLOURS = 10
#: How often one colour can be told apart from itself: as it is, and in two shades.
SHADES = ("", "b", "c")
#: Found by trying: with it the models that are most often seen together have colours of their own.
_APART = b"WT"
OTHER = "other"
#: What a range is compared with.
GHOST = "ghost"
type Figure = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One entity's amounts, one per bucket, None for a gap. colour: of colours, OTHER or GHOST."""

    name: str
    colour: int | str
    amounts: tuple[Real | None, ...]


def colours(names: Iterable[str]) -> dict[str, int | str]:
    """A colour for each name, which depends on the name alone: 0 to 9.

    Names that share one are told apart by its shades, 3, 3b and 3c, the alphabetically later being the
    further ones. Only a fourth of one colour goes on to another.
    """
    shown: dict[int, int] = {}
    chosen: dict[str, int | str] = {}
    for name in sorted(names):
        own = blake2b(name.encode(), digest_size=2, person=_APART).digest()[1] % COLOURS
        steps = (step % COLOURS for step in range(own, own + COLOURS))
        colour = next((step for step in steps if shown.get(step, 0) < len(SHADES)), own)
        shade = SHADES[shown.get(colour, 0) % len(SHADES)]
        shown[colour] = shown.get(colour, 0) + 1
        chosen[name] = f"{colour}{shade}" if shade else colour
    return chosen


def stacked_bars(
    buckets: Buckets,
    layers: Sequence[Layer],
    reading: Reading,
    ticks: Ticks | None = None,
    ghost: Layer | None = None,
) -> Figure:
    """One bar per bucket, made of the layers from the bottom up; unfinished buckets are hatched.

    reading: how an amount is written in the hover, and on the axis unless there are ticks.
    ghost: drawn over the bars as a line.
    """
    traces = [bar(buckets, layer, reading) for layer in layers]
    stacks = [sum(map(number, column), Decimal()) for column in _columns(layers)]
    highest = max([*stacks, *_ghosts(ghost)], default=Decimal())
    if ghost:
        traces.append(line(buckets, ghost, reading, has_marks=False))
    layout = over_time(buckets, highest, ticks or one_by_one(reading))
    return drawn(traces, {**layout, "barmode": "stack", "bargap": 0.25}, buckets)


def lines(
    buckets: Buckets,
    layers: Sequence[Layer],
    reading: Reading,
    ticks: Ticks | None = None,
    ghost: Layer | None = None,
) -> Figure:
    """A line for each layer, broken where it has no value; marks of unfinished buckets are hollow."""
    traces = [line(buckets, layer, reading) for layer in (*layers, *filter(None, [ghost]))]
    every = [*_ghosts(ghost), *(number(one) for layer in layers for one in layer.amounts)]
    layout = over_time(buckets, max(every, default=Decimal()), ticks or one_by_one(reading))
    return drawn(traces, layout, buckets)


def bar(buckets: Buckets, layer: Layer, reading: Reading) -> Figure:
    """A layer as bars, of which those that are not over are hatched."""
    finished = len(buckets.names) - buckets.unfinished
    return {
        "type": "bar",
        # Plotly reads a little HTML in labels, so names are escaped even though this is JSON.
        "name": escape(layer.name, quote=False),
        "x": list(buckets.names),
        "y": [float(number(amount)) for amount in layer.amounts],
        "customdata": [reading(amount or 0) for amount in layer.amounts],
        "hovertemplate": "%{fullData.name}: %{customdata}<extra></extra>",
        "marker": {"pattern": {"shape": [""] * finished + ["/"] * buckets.unfinished, "size": 6}},
        "meta": {"series": layer.colour},
    }


def line(buckets: Buckets, layer: Layer, reading: Reading, *, has_marks: bool = True) -> Figure:
    """A layer as a line; a ghost is dashed."""
    finished = len(buckets.names) - buckets.unfinished
    is_ghost = layer.colour == GHOST
    return {
        "type": "scatter",
        "name": escape(layer.name, quote=False),
        "x": list(buckets.names),
        "y": [None if one is None else float(one) for one in layer.amounts],
        "customdata": ["" if one is None else reading(one) for one in layer.amounts],
        "hovertemplate": "%{fullData.name}: %{customdata}<extra></extra>",
        "mode": "lines+markers" if has_marks and not is_ghost else "lines",
        "connectgaps": False,
        "line": {"width": 2, "dash": "dot" if is_ghost else "solid"},
        "marker": {
            "size": 6,
            "symbol": ["circle"] * finished + ["circle-open"] * buckets.unfinished,
        },
        "meta": {"series": layer.colour},
    }


def drawn(traces: Sequence[Figure], layout: Figure, buckets: Buckets | None = None) -> Figure:
    """A figure of plain values. Plotly's own would look at each of them, and copy them twice."""
    shown = {name: value for name, value in layout.items() if value is not None}
    return _linked({"data": list(traces), "layout": shown}, buckets)


def drawing_of(figure: go.Figure, buckets: Buckets | None = None) -> Figure:
    """One of Plotly's figures as the page carries it."""
    return _linked(figure.to_plotly_json(), buckets)


def _linked(drawing: Figure, buckets: Buckets | None) -> Figure:
    """links: where a click on each column leads."""
    if buckets and buckets.links:
        drawing["links"] = list(buckets.links)
    return drawing


def _columns(layers: Sequence[Layer]) -> Iterable[tuple[Real | None, ...]]:
    return zip(*(layer.amounts for layer in layers), strict=True)


def _ghosts(ghost: Layer | None) -> list[Decimal]:
    return [number(one) for one in ghost.amounts] if ghost else []
