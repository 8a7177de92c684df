"""A session turn by turn as a chart: the tokens of each, stacked by kind, and what it has cost so far."""

from collections.abc import Sequence
from decimal import Decimal

from django.utils.translation import gettext as _
from plotly import graph_objects as go

from accounting.queries.session_turns import Turn
from accounting.web import formatting
from accounting.web.axes import Buckets, from_zero, over_time
from accounting.web.charts import Layer, bar, drawing_of
from accounting.web.panels import Panel, PanelRow, cell_of
from accounting.web.readings import Reading, column_reading_of, reading_of
from accounting.web.ticks import count_ticks, ticks_of

#: Colours of what is no entity: the kinds of tokens, and the running cost.
_UNCACHED, _READ, _WRITTEN, _OUTPUT, _COST = 0, 2, 6, 1, "ink"


def turn_panel(turns: Sequence[Turn], *, has_more: bool = False) -> Panel | None:
    """The chart of turns that tell tokens; None where none does. has_more: the session goes on."""
    if not any(turn.input_tokens or turn.output_tokens for turn in turns):
        return None
    names = _names(turns)
    buckets = Buckets(names=names, labels=names)
    layers = _layers(turns)
    currency = _main_currency(turns)
    tokens = reading_of("input_tokens")
    cost = reading_of("cost", currency)
    running = _running(turns, currency)
    in_table = column_reading_of("cost", currency, [one for one in running if one is not None])
    figure = go.Figure([bar(buckets, layer, tokens) for layer in layers])
    stacks = [sum(column) for column in zip(*(_counts(one) for one in layers), strict=True)]
    figure.update_layout(
        **over_time(buckets, Decimal(max(stacks)), count_ticks), barmode="stack", bargap=0.2
    )
    if any(running):
        figure.add_trace(_line(names, running, in_table))
        highest = max(amount or Decimal(0) for amount in running)
        axis = from_zero(highest, ticks_of("cost", currency))
        figure.update_layout(yaxis2={**axis, "overlaying": "y", "side": "right", "showgrid": False})
        layers = (*layers, Layer(name=_("Cost so far"), colour=_COST, amounts=running))
    return Panel(
        key="turns",
        currency=currency,
        caption=_caption(turns, running, cost, has_more=has_more),
        layers=layers,
        rows=tuple(
            PanelRow(
                name=names[place],
                cells=tuple(
                    cell_of(layer.amounts[place], in_table if layer.colour == _COST else tokens)
                    for layer in layers
                ),
            )
            for place in range(len(turns))
        ),
        figure=drawing_of(figure),
        first=_("Turn"),
    )


def _layers(turns: Sequence[Turn]) -> tuple[Layer, ...]:
    kinds = (
        (_("Cached input"), _READ, [turn.cache_read_input_tokens for turn in turns]),
        (_("Written to cache"), _WRITTEN, [turn.cache_write_input_tokens for turn in turns]),
        (_("Uncached input"), _UNCACHED, [_uncached(turn) for turn in turns]),
        (_("Output"), _OUTPUT, [turn.output_tokens for turn in turns]),
    )
    return tuple(
        Layer(name=name, colour=colour, amounts=tuple(amounts))
        for name, colour, amounts in kinds
        if any(amounts)
    )


def _uncached(turn: Turn) -> int | None:
    if turn.input_tokens is None:
        return None
    cached = (turn.cache_read_input_tokens or 0) + (turn.cache_write_input_tokens or 0)
    return max(0, turn.input_tokens - cached)


def _counts(layer: Layer) -> list[Decimal]:
    return [formatting.decimal(amount or 0) for amount in layer.amounts]


def _main_currency(turns: Sequence[Turn]) -> str:
    """The one that most rows are charged in: costs of different ones share no axis."""
    charged = [turn.currency for turn in turns if turn.currency]
    return max(sorted(set(charged)), key=charged.count, default="")


def _running(turns: Sequence[Turn], currency: str) -> tuple[Decimal | None, ...]:
    return tuple(
        turn.cost_so_far if currency and turn.currency == currency else None for turn in turns
    )


def _line(names: Sequence[str], amounts: Sequence[Decimal | None], reading: Reading) -> go.Scatter:
    return go.Scatter(
        name=_("Cost so far"),
        x=list(names),
        y=[None if amount is None else float(amount) for amount in amounts],
        customdata=["" if amount is None else reading(amount) for amount in amounts],
        hovertemplate="%{fullData.name}: %{customdata}<extra></extra>",
        mode="lines",
        connectgaps=True,
        line={"width": 2, "dash": "dot"},
        yaxis="y2",
        meta={"series": _COST},
    )


def _names(turns: Sequence[Turn]) -> tuple[str, ...]:
    """What each row is called, once: its turn's number; what is no turn carries a mark after the one before."""
    names: list[str] = []
    last = next((turn.number for turn in turns if turn.number is not None), 1) - 1
    extra = 0
    for turn in turns:
        extra = 0 if turn.number is not None else extra + 1
        last = last if turn.number is None else turn.number
        names.append(f"{last}{'+' * extra}")
    return tuple(names)


def _caption(
    turns: Sequence[Turn],
    running: Sequence[Decimal | None],
    reading: Reading,
    *,
    has_more: bool,
) -> str:
    largest = max(turns, key=lambda turn: turn.input_tokens or 0)
    cuts = sum(turn.is_context_cut for turn in turns)
    words = {
        "turns": formatting.exact(sum(turn.number is not None for turn in turns)),
        "largest": formatting.tokens(largest.input_tokens),
        "cuts": formatting.exact(cuts),
        "cost": reading(next((one for one in reversed(running) if one is not None), Decimal(0))),
    }
    said = _("%(turns)s turns; the largest sends %(largest)s tokens.") % words
    if cuts:
        said += formatting.mark(" ") + _("The context was cut %(cuts)s times.") % words
    if has_more or not any(running):
        return said
    return said + formatting.mark(" ") + _("%(cost)s in the end.") % words
