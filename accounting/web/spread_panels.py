"""How sessions are spread, as three charts: a histogram of ratios, a curve of costs, a cloud of tokens."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import log10
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from plotly import graph_objects as go

from accounting.queries.session_spread import MOST_POINTS, PERCENTS, RatioBin, SessionSpread
from accounting.web import formatting
from accounting.web.axes import FRAME, Buckets, from_zero, number, over_time
from accounting.web.charts import drawing_of
from accounting.web.panels import Panel, PanelRow, cell_of
from accounting.web.readings import column_reading_of, reading_of
from accounting.web.ticks import Ticks, count_ticks, one_by_one

_COLOUR = "accent"
#: Up to so many powers of ten are an axis that needs more ticks than they.
FEW_POWERS = 2
#: Of a logarithmic axis, beyond its first and last tick: half of what a point is wide.
MARGIN = 0.02
#: The table of costs tells these percents.
_TOLD = (10, 25, 50, 75, 90, 95, 99, 100)


def ratio_histogram(spread: SessionSpread) -> Panel | None:
    """How many sessions send how much for what they are answered; None where none tells both."""
    if not spread.bins:
        return None
    names = tuple(_bin_name(one) for one in spread.bins)
    counts = [one.sessions for one in spread.bins]
    shares = [Fraction(count, sum(counts)) for count in counts]
    figure = go.Figure(
        go.Bar(
            name=_("Sessions"),
            x=list(names),
            y=counts,
            customdata=[
                f"{formatting.exact(count)} ({formatting.percent(share)})"
                for count, share in zip(counts, shares, strict=True)
            ],
            hovertemplate="%{customdata}<extra></extra>",
            marker={"pattern": {"shape": ""}},
            meta={"series": _COLOUR},
        )
    )
    buckets = Buckets(names=names, labels=names)
    figure.update_layout(**over_time(buckets, number(max(counts)), count_ticks), bargap=0.06)
    most = counts.index(max(counts))
    return Panel(
        key="ratios",
        caption=_("The most frequent input to output is %(bin)s, of %(count)s of %(all)s sessions.")
        % {
            "count": formatting.exact(counts[most]),
            "all": formatting.exact(sum(counts)),
            "bin": names[most],
        },
        layers=(),
        rows=tuple(
            PanelRow(name=name, cells=(cell_of(count, _exact), cell_of(share, formatting.percent)))
            for name, count, share in zip(names, counts, shares, strict=True)
        ),
        figure=drawing_of(figure),
        headings=(_("Sessions"), _("Share")),
        first=_("Input to output"),
    )


def cost_curve(spread: SessionSpread, currency: str) -> Panel | None:
    """What share of the sessions costs no more than how much; None while none costs anything."""
    pairs = [pair for pair in zip(spread.costs, PERCENTS, strict=False) if pair[0] > 0]
    if not pairs:
        return None
    reading = reading_of("cost", currency)
    figure = go.Figure(
        go.Scatter(
            name=_("Sessions"),
            x=[float(cost) for cost, _percent in pairs],
            y=[percent / 100 for _cost, percent in pairs],
            customdata=[f"{percent} % ≤ {reading(cost)}" for cost, percent in pairs],
            hovertemplate="%{customdata}<extra></extra>",
            mode="lines",
            line={"width": 2, "shape": "hv"},
            fill="tozeroy",
            meta={"series": _COLOUR},
        )
    )
    figure.update_layout(
        **FRAME,
        hovermode="closest",
        xaxis=_powers([cost for cost, _percent in pairs], one_by_one(reading)),
        yaxis=from_zero(Decimal(1), one_by_one(formatting.percent)),
    )
    costs = dict(zip(PERCENTS, spread.costs, strict=True))
    in_table = column_reading_of("cost", currency, [costs[percent] for percent in _TOLD])
    return Panel(
        key="costs",
        caption=_(
            "Half of the sessions cost no more than %(half)s, nine of ten no more than %(nine)s."
        )
        % {"half": reading(costs[50]), "nine": reading(costs[90])},
        layers=(),
        rows=tuple(
            PanelRow(
                name=formatting.whole_percent(percent), cells=(cell_of(costs[percent], in_table),)
            )
            for percent in _TOLD
        ),
        figure=drawing_of(figure),
        headings=(_("Cost at most"),),
        first=_("Of the sessions"),
    )


def token_cloud(spread: SessionSpread) -> Panel | None:
    """A point for each session, or for a sample of them; None where none tells input and output."""
    points = spread.points
    if not points:
        return None
    sent = [point.input_tokens for point in points]
    answered = [point.output_tokens for point in points]
    figure = go.Figure(
        go.Scatter(
            name=_("Sessions"),
            x=sent,
            y=answered,
            text=[escape(point.session_id, quote=False) for point in points],
            customdata=[
                _("%(input)s in, %(output)s out")
                % {
                    "input": formatting.tokens(point.input_tokens),
                    "output": formatting.tokens(point.output_tokens),
                }
                for point in points
            ],
            hovertemplate="%{text}<br>%{customdata}<extra></extra>",
            mode="markers",
            marker={"size": 6, "opacity": 0.55},
            meta={"series": _COLOUR},
        )
    )
    figure.update_layout(
        **FRAME,
        hovermode="closest",
        xaxis=_powers(sent, _each_count),
        yaxis=_powers(answered, _each_count),
    )
    drawing = drawing_of(figure)
    page = reverse("sessions.one")
    drawing["links"] = [f"{page}?{urlencode({'id': point.session_id})}" for point in points]
    return Panel(key="cloud", caption=_cloud_caption(spread), layers=(), rows=(), figure=drawing)


def _cloud_caption(spread: SessionSpread) -> str:
    words = {
        "shown": formatting.exact(len(spread.points)),
        "all": formatting.exact(spread.with_output),
    }
    if len(spread.points) == MOST_POINTS < spread.with_output:
        return (
            _(
                "A sample of %(shown)s of %(all)s sessions, always the same; "
                "input to the right, output upwards."
            )
            % words
        )
    said = ngettext(
        "The one session with output; input to the right, output upwards.",
        "All %(shown)s sessions with output; input to the right, output upwards.",
        spread.with_output,
    )
    return said % words


def _bin_name(one: RatioBin) -> str:
    """From 2 ** power on, below twice that: 8 – 16 : 1, and 1/4 – 1/2 : 1."""
    low, high = (_power(power) for power in (one.power, one.power + 1))
    return f"{low}–{high} : 1"


def _power(power: int) -> str:
    return formatting.exact(2**power) if power >= 0 else f"1/{formatting.exact(2**-power)}"


def _powers(values: Sequence[Decimal | int], ticks: Ticks) -> dict[str, object]:
    """A logarithmic axis whose ticks are powers of ten, and where these are few 2 and 5 times them.

    It reaches from a tick to a tick, so that values that are nearly the same have some around them too.
    """
    least, most = (Decimal(pick(values)) for pick in (min, max))
    low, high = least.adjusted(), most.adjusted()
    factors = (1,) if high - low > FEW_POWERS else (1, 2, 5)
    every = [Decimal(factor).scaleb(power) for power in range(low, high + 2) for factor in factors]
    start = max(step for step in every if step <= least)
    end = min(step for step in every if step >= most and step > start)
    steps = [step for step in every if start <= step <= end]
    return {
        "type": "log",
        "range": [log10(start) - MARGIN, log10(end) + MARGIN],
        "tickvals": [float(step) for step in steps],
        "ticktext": ticks(steps),
        "automargin": True,
        "fixedrange": True,
        "zeroline": False,
    }


def _each_count(steps: Sequence[Decimal]) -> list[str]:
    """Powers of ten: what is one unit at the left is thousands of it at the right."""
    return [text for step in steps for text in count_ticks([step])]


def _exact(value: formatting.Real) -> str:
    return formatting.exact(int(value))
