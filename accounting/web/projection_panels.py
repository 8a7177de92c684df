"""The running month as a chart: what was spent so far, and where it will end, with its band."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import cast

from django.utils.translation import gettext as _

from accounting.domain.money import EXACT
from accounting.queries.projection import Projection
from accounting.web import formatting
from accounting.web.axes import Buckets, over_time
from accounting.web.charts import Figure, Layer, drawn
from accounting.web.panels import Cell, Panel, PanelRow, cell_of
from accounting.web.readings import Reading, reading_of
from accounting.web.ticks import ticks_of

#: What was spent, what is expected: one colour, solid and dashed.
ACCENT = "accent"
BAND = "band"


def projection_panels(
    projections: Sequence[Projection], spent: Mapping[str, tuple[Decimal, ...]]
) -> tuple[Panel, ...]:
    """A chart for each currency of which something can be expected. spent: by day, until today."""
    return tuple(
        _panel(f"projection-{number}", one, _sums(spent.get(one.currency, (Decimal(0),))))
        for number, one in enumerate(projections)
        if one.forecast.expected is not None
    )


def _panel(key: str, projection: Projection, sums: Sequence[Decimal]) -> Panel:
    forecast = projection.forecast
    reading = reading_of("cost", projection.currency)
    has_band = forecast.low is not None and forecast.high is not None
    layers = [
        Layer(name=_("Spent so far"), colour=ACCENT, amounts=tuple(sums)),
        Layer(name=_("Expected"), colour="expected", amounts=(forecast.expected,)),
    ]
    if has_band:
        layers.append(Layer(name=_("80 % band"), colour=BAND, amounts=()))
    return Panel(
        key=key,
        currency=projection.currency,
        caption=_caption(projection, reading),
        layers=tuple(layers),
        rows=_rows(projection, sums, reading, has_band=has_band),
        figure=_figure(projection, sums, reading),
    )


def _figure(projection: Projection, sums: Sequence[Decimal], reading: Reading) -> Figure:
    forecast = projection.forecast
    days = _days(projection)
    buckets = Buckets(
        names=tuple(formatting.day(day) for day in days),
        labels=tuple(formatting.short_day(day) for day in days),
    )
    ahead = [buckets.names[len(sums) - 1], buckets.names[-1]]
    traces = []
    if forecast.low is not None and forecast.high is not None:
        low = _line(_("Low"), ahead, [sums[-1], forecast.low], reading, {"width": 0})
        high = _line(_("High"), ahead, [sums[-1], forecast.high], reading, {"width": 0})
        traces += [low, {**high, "fill": "tonexty"}]
    dashed = {"width": 2, "dash": "dash"}
    expected = forecast.expected or Decimal(0)
    traces.append(_line(_("Expected"), ahead, [sums[-1], expected], reading, dashed))
    traces.append(_line(_("Spent so far"), buckets.names[: len(sums)], sums, reading, {"width": 2}))
    highest = max(sums[-1], expected, forecast.high or Decimal(0))
    layout = over_time(buckets, highest, ticks_of("cost", projection.currency))
    # The last day's label stands below the very end of the line.
    layout["margin"] = {**cast("Figure", layout["margin"]), "r": 26}
    order = {"categoryorder": "array", "categoryarray": list(buckets.names)}
    return drawn(traces, {**layout, "xaxis": {**cast("Figure", layout["xaxis"]), **order}})


def _line(
    name: str,
    names: Sequence[str],
    amounts: Sequence[Decimal],
    reading: Reading,
    line: Mapping[str, object],
) -> Figure:
    return {
        "type": "scatter",
        "name": name,
        "x": list(names),
        "y": [float(amount) for amount in amounts],
        "customdata": [reading(amount) for amount in amounts],
        "hovertemplate": "%{fullData.name}: %{customdata}<extra></extra>",
        "mode": "lines",
        "line": dict(line),
        "meta": {"series": ACCENT},
    }


def _rows(
    projection: Projection, sums: Sequence[Decimal], reading: Reading, *, has_band: bool
) -> tuple[PanelRow, ...]:
    nothing = cell_of(None, reading)
    rows = [
        PanelRow(
            name=formatting.day(day),
            cells=(cell_of(amount, reading), nothing, *((nothing,) if has_band else ())),
        )
        for day, amount in zip(_days(projection), sums, strict=False)
    ]
    forecast = projection.forecast
    band = (_band(forecast.low, forecast.high, reading),) if has_band else ()
    end = PanelRow(
        name=_("end of %(month)s") % {"month": formatting.month(projection.start)},
        cells=(nothing, cell_of(forecast.expected, reading), *band),
    )
    return (*rows, end)


def _band(low: Decimal | None, high: Decimal | None, reading: Reading) -> Cell:
    one, two = cell_of(low, reading), cell_of(high, reading)
    return Cell(text=f"{one.text} – {two.text}", exact=f"{one.exact} – {two.exact}")


def _caption(projection: Projection, reading: Reading) -> str:
    forecast = projection.forecast
    said = _("%(spent)s so far; %(expected)s expected at the end of %(month)s") % {
        "spent": reading(projection.spent),
        "expected": reading(forecast.expected or 0),
        "month": formatting.month(projection.start),
    }
    if forecast.low is None or forecast.high is None:
        return _("%(said)s, by the run rate. The way there is drawn straight.") % {"said": said}
    return _(
        "%(said)s, four times of five between %(low)s and %(high)s. The way there is drawn straight."
    ) % {"said": said, "low": reading(forecast.low), "high": reading(forecast.high)}


def _sums(amounts: Sequence[Decimal]) -> tuple[Decimal, ...]:
    return tuple(accumulate(amounts, EXACT.add))


def _days(projection: Projection) -> list[date]:
    length = (projection.end - projection.start).days
    return [projection.start + timedelta(days=place) for place in range(length)]
