"""A stack of amounts as a page shows it: figure, caption, legend and the table that says the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import accumulate

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounting.domain.money import EXACT
from accounting.queries.filters import UsageFilter
from accounting.queries.series import Series, Stack
from accounting.queries.spend import Member
from accounting.queries.totals import exact_sum
from accounting.web import formatting, words
from accounting.web.axes import Buckets
from accounting.web.buckets import MOST_DRAWN, columns
from accounting.web.charts import (
    GHOST,
    OTHER,
    Figure,
    Layer,
    colours,
    lines,
    stacked_bars,
)
from accounting.web.panels import Cell, Panel, PanelRow, cell_of
from accounting.web.readings import Reading, column_reading_of, reading_of
from accounting.web.ticks import Ticks, ticks_of

#: How amounts can be drawn besides as they are.
SHOWN = ("", "cumulative", "share")
CHARTS = ("bars", "lines")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How a stack is drawn. shown: of SHOWN; chart: of CHARTS; query: of the page, to lead on from."""

    chart: str = "bars"
    shown: str = ""
    query: QueryDict | None = None


PLAIN = Drawing()


def stack_panels(
    stack: Stack,
    wanted: UsageFilter,
    ghosts: Sequence[Series] = (),
    drawing: Drawing = PLAIN,
) -> tuple[Panel, ...]:
    """A panel for each currency of the stack; one for a metric that has none.

    ghosts: the compared range by currency, bucket for bucket. None at all where there are more
    buckets than can be drawn.
    """
    if len(stack.buckets) > MOST_DRAWN:
        return ()
    buckets = columns(stack.buckets, wanted, drawing.query)
    compared = {ghost.currency: ghost for ghost in ghosts}
    currencies = dict.fromkeys(series.currency for series in stack.series)
    return tuple(
        _panel(
            f"stack-{number}",
            buckets,
            [one for one in stack.series if one.currency == currency],
            stack.metric,
            _ghost(compared.get(currency), len(buckets.names), wanted),
            drawing,
        )
        for number, currency in enumerate(currencies)
    )


def member_name(member: Member | None) -> str:
    """What a group is called; what has no name says so."""
    return words.member(member.label if member else "") or _("not named")


def colour_name(group: Member | None, sub: Member | None) -> str:
    """What a colour is bound to: the values, which stay when names change."""
    return "\n".join(member.value for member in (group, sub) if member)


def _panel(
    key: str,
    buckets: Buckets,
    series: Sequence[Series],
    metric: str,
    ghost: Layer | None,
    drawing: Drawing,
) -> Panel:
    currency = series[0].currency
    palette = colours(colour_name(one.group, one.sub) for one in series if one.group)
    layers = tuple(_layer(one, palette) for one in series)
    # Each amount is read twice: in the chart and in the table.
    reading = cache(column_reading_of(metric, currency, _drawn(layers, ghost)))
    ticks = ticks_of(metric, currency)
    return Panel(
        key=key,
        currency=currency,
        caption=_caption(buckets, layers, reading_of(metric, currency), drawing),
        layers=(*layers, *filter(None, [ghost])),
        rows=_rows(buckets, layers, reading, ghost),
        figure=_figure(buckets, layers, (reading, ticks), ghost, drawing),
        has_total=True,
    )


def _figure(
    buckets: Buckets,
    layers: Sequence[Layer],
    readings: tuple[Reading, Ticks],
    ghost: Layer | None,
    drawing: Drawing,
) -> Figure:
    draw = lines if drawing.chart == "lines" else stacked_bars
    reading, ticks = readings
    if drawing.shown == "share":
        return draw(buckets, _shares(layers), formatting.percent)
    if drawing.shown == "cumulative":
        running = _running_ghost(ghost) if ghost else None
        return draw(buckets, _running(layers), reading, ticks, running)
    return draw(buckets, layers, reading, ticks, ghost)


def _layer(series: Series, palette: Mapping[str, int | str]) -> Layer:
    if series.group is None:
        return Layer(name=_("Other"), colour=OTHER, amounts=series.amounts)
    names = [member_name(series.group), *([member_name(series.sub)] if series.sub else [])]
    return Layer(
        name=" · ".join(names),
        colour=palette[colour_name(series.group, series.sub)],
        amounts=series.amounts,
    )


def _ghost(series: Series | None, columns_drawn: int, wanted: UsageFilter) -> Layer | None:
    """The compared range, cut or left open where it has another number of buckets."""
    if series is None or not any(series.amounts):
        return None
    missing = [None] * (columns_drawn - len(series.amounts))
    amounts = (*series.amounts[:columns_drawn], *missing)
    name = words.COMPARISONS[wanted.compare]
    return Layer(name=str(name), colour=GHOST, amounts=amounts)


def _shares(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    sums = [exact_sum(column) for column in _columns(layers)]
    return tuple(
        Layer(
            name=layer.name,
            colour=layer.colour,
            amounts=tuple(
                Fraction(amount) / Fraction(whole) if whole else Decimal(0)
                for amount, whole in zip(_amounts(layer), sums, strict=True)
            ),
        )
        for layer in layers
    )


def _running(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    return tuple(
        Layer(
            name=layer.name,
            colour=layer.colour,
            amounts=_running_sums(_amounts(layer)),
        )
        for layer in layers
    )


def _running_sums(amounts: Sequence[Decimal]) -> tuple[Decimal, ...]:
    return tuple(accumulate(amounts, EXACT.add))


def _running_ghost(ghost: Layer) -> Layer:
    """The compared range's running sums, which end where it ends."""
    told = [Decimal(one) for one in ghost.amounts if isinstance(one, (int, Decimal))]
    missing = [None] * (len(ghost.amounts) - len(told))
    return replace(ghost, amounts=(*_running_sums(told), *missing))


def _caption(buckets: Buckets, layers: Sequence[Layer], reading: Reading, drawing: Drawing) -> str:
    """The chart in one sentence: the sum, the highest bucket, the largest layer."""
    sums = [exact_sum(column) for column in _columns(layers)]
    highest = max(range(len(sums)), key=sums.__getitem__)
    return _("%(total)s in all; most on %(when)s with %(most)s; the largest part is %(name)s.") % {
        "total": reading(exact_sum(sums)),
        "when": buckets.names[highest],
        "most": reading(sums[highest]),
        "name": layers[0].name,
    } + _unfinished(buckets.unfinished, drawing)


def _unfinished(count: int, drawing: Drawing) -> str:
    if not count:
        return ""
    if drawing.chart == "lines":
        return formatting.mark(" ") + ngettext(
            "The last point is not over yet.", "The last points are not over yet.", count
        )
    return formatting.mark(" ") + ngettext(
        "The last bar is not over yet.", "The last bars are not over yet.", count
    )


def _rows(
    buckets: Buckets, layers: Sequence[Layer], reading: Reading, ghost: Layer | None
) -> tuple[PanelRow, ...]:
    found = []
    for place, amounts in enumerate(_columns(layers)):
        compared = ghost.amounts[place] if ghost else None
        if not any(amounts) and not compared:
            continue
        found.append(
            PanelRow(
                name=buckets.names[place],
                link=buckets.links[place] if buckets.links else "",
                cells=(*(_cell(amount, reading) for amount in amounts),)
                + ((cell_of(compared, reading),) if ghost else ()),
                total=_cell(exact_sum(amounts), reading),
            )
        )
    return tuple(found)


def _drawn(layers: Sequence[Layer], ghost: Layer | None) -> Iterator[Decimal]:
    """Every amount of the chart, and the sums of its columns."""
    for layer in (*layers, *filter(None, [ghost])):
        yield from _amounts(layer)
    yield from map(exact_sum, _columns(layers))


def _cell(amount: Decimal, reading: Reading) -> Cell:
    return cell_of(amount, reading) if amount else Cell(text="0", exact="0")


def _columns(layers: Sequence[Layer]) -> list[tuple[Decimal, ...]]:
    return list(zip(*(_amounts(layer) for layer in layers), strict=True))


def _amounts(layer: Layer) -> list[Decimal]:
    """What is stacked are decimals; only a compared range has gaps."""
    return [formatting.decimal(amount or 0) for amount in layer.amounts]
