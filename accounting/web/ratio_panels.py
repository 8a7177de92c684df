"""Ratios and latencies over time: a line for each group and one for the whole, with gaps where nothing is known."""

from collections.abc import Sequence
from datetime import date, datetime

from django.http import QueryDict
from django.utils.translation import gettext as _

from accounting.queries.filters import UsageFilter
from accounting.queries.latency import LatencyRow
from accounting.queries.points import Point
from accounting.queries.series import SHOWN_GROUPS, instant_of
from accounting.queries.spend import UsageRow
from accounting.web.buckets import MOST_DRAWN, columns
from accounting.web.charts import OTHER, Layer, colours, lines
from accounting.web.formatting import Real
from accounting.web.panels import Panel, PanelRow, cell_of
from accounting.web.readings import Reading, reading_of
from accounting.web.stacks import colour_name, member_name


def ratio_panels(
    wanted: UsageFilter,
    points: Sequence[Point],
    groups: Sequence[UsageRow | LatencyRow],
    whole: Sequence[Point],
    query: QueryDict | None = None,
    *,
    day_leads_to: str = "",
) -> tuple[Panel, ...]:
    """The filter's metric, a ratio or a latency, by bucket: the whole, and the first groups.

    points: by bucket and group; groups: without bucket, in the order in which they are shown; whole: by
    bucket alone; day_leads_to: as that of columns. No panel where nothing is known, or there are more
    buckets than can be drawn.
    """
    starts = wanted.buckets
    if len(starts) > MOST_DRAWN or not any(point.amounts for point in whole):
        return ()
    buckets = columns(starts, wanted, query, day_leads_to=day_leads_to)
    shown = groups[:SHOWN_GROUPS]
    palette = colours(colour_name(row.group, row.sub) for row in shown)
    layers = [
        Layer(
            name=_name(group),
            colour=palette[colour_name(group.group, group.sub)],
            amounts=_amounts([one for one in points if one.key == group.key], starts),
        )
        for group in shown
    ]
    layers.append(Layer(name=_("All"), colour=OTHER, amounts=_amounts(whole, starts)))
    reading = reading_of(wanted.metric)
    table = tuple(
        PanelRow(
            name=buckets.names[place],
            link=buckets.links[place] if buckets.links else "",
            cells=tuple(cell_of(layer.amounts[place], reading) for layer in layers),
        )
        for place in range(len(starts))
        if any(layer.amounts[place] is not None for layer in layers)
    )
    return (
        Panel(
            key="ratio",
            caption=_caption(layers[-1].amounts, buckets.names, reading),
            layers=tuple(layers),
            rows=table,
            figure=lines(buckets, layers, reading),
        ),
    )


def _amounts(points: Sequence[Point], starts: Sequence[date | datetime]) -> tuple[Real | None, ...]:
    found = {instant_of(point.bucket): amount for point in points for _, amount in point.amounts}
    return tuple(found.get(instant_of(start)) for start in starts)


def _name(row: UsageRow | LatencyRow) -> str:
    return " · ".join([member_name(row.group), *([member_name(row.sub)] if row.sub else [])])


def _caption(amounts: Sequence[Real | None], names: Sequence[str], reading: Reading) -> str:
    """The lowest and the highest of the whole."""
    known = [(amount, place) for place, amount in enumerate(amounts) if amount is not None]
    (least, low), (most, high) = min(known), max(known)
    return _("Lowest on %(low_day)s with %(low)s, highest on %(high_day)s with %(high)s.") % {
        "low_day": names[low],
        "low": reading(least),
        "high_day": names[high],
        "high": reading(most),
    }
