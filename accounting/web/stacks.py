"""A stack of amounts as a page shows it: figure, caption, legend and the table that says the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import partial

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounting.domain.periods import day_of
from accounting.domain.ranges import bucket_of
from accounting.queries.filters import UsageFilter
from accounting.queries.series import Series, Stack
from accounting.queries.totals import exact_sum
from accounting.web import formatting
from accounting.web.charts import OTHER, Buckets, Figure, Layer, Reading, colours, stacked_bars

LONGEST_DAILY = 92
LONGEST_WEEKLY = 750


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One amount of the table: as read, and exact."""

    text: str
    exact: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One bucket's amounts, a cell per layer, and their sum."""

    name: str
    cells: tuple[Cell, ...]
    total: Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class StackPanel:
    """One chart and what stands around it. key: its id in the page."""

    key: str
    currency: str
    caption: str
    layers: tuple[Layer, ...]
    rows: tuple[TableRow, ...]
    figure: Figure


def fitting_bucket(wanted: UsageFilter) -> str:
    """The bucket the address asks for, else days, or weeks and months where days are too many."""
    days = (wanted.end - wanted.start).days
    if wanted.bucket:
        return wanted.bucket
    return "day" if days <= LONGEST_DAILY else "week" if days <= LONGEST_WEEKLY else "month"


def stack_panels(stack: Stack, wanted: UsageFilter) -> tuple[StackPanel, ...]:
    """A panel for each currency of the stack; one for a metric that has none."""
    buckets = _buckets(stack.buckets, wanted)
    currencies = dict.fromkeys(series.currency for series in stack.series)
    return tuple(
        _panel(buckets, [one for one in stack.series if one.currency == currency], currency, number)
        for number, currency in enumerate(currencies)
    )


def _panel(buckets: Buckets, series: Sequence[Series], currency: str, number: int) -> StackPanel:
    palette = colours(one.group.value for one in series if one.group)
    layers = tuple(
        Layer(
            name=(one.group.label or _("not named")) if one.group else _("Other"),
            colour=palette[one.group.value] if one.group else OTHER,
            amounts=one.amounts,
        )
        for one in series
    )
    reading: Reading = partial(formatting.money, currency=currency) if currency else _count
    short: Reading = partial(formatting.short_money, currency=currency) if currency else _count
    return StackPanel(
        key=f"stack-{number}",
        currency=currency,
        caption=_caption(buckets, layers, reading),
        layers=layers,
        rows=_rows(buckets, layers, reading),
        figure=stacked_bars(buckets, layers, reading, short),
    )


def _caption(buckets: Buckets, layers: Sequence[Layer], reading: Reading) -> str:
    """The chart in one sentence: the sum, the highest bucket, the largest layer."""
    sums = [exact_sum(column) for column in zip(*(one.amounts for one in layers), strict=True)]
    highest = max(range(len(sums)), key=sums.__getitem__)
    return _("%(total)s in all; most on %(when)s with %(most)s; the largest part is %(name)s.") % {
        "total": reading(exact_sum(sums)),
        "when": buckets.names[highest],
        "most": reading(sums[highest]),
        "name": layers[0].name,
    } + (
        " "
        + ngettext(
            "The last bar is not over yet.", "The last bars are not over yet.", buckets.unfinished
        )
        if buckets.unfinished
        else ""
    )


def _rows(buckets: Buckets, layers: Sequence[Layer], reading: Reading) -> tuple[TableRow, ...]:
    columns = zip(*(layer.amounts for layer in layers), strict=True)
    return tuple(
        TableRow(
            name=name,
            cells=tuple(_cell(amount, reading) for amount in amounts),
            total=_cell(exact_sum(amounts), reading),
        )
        for name, amounts in zip(buckets.names, columns, strict=True)
        if any(amounts)
    )


def _cell(amount: Decimal, reading: Reading) -> Cell:
    return Cell(text=reading(amount) if amount else "0", exact=formatting.exact(amount))


def _count(amount: Decimal) -> str:
    return formatting.tokens(int(amount))


def _buckets(starts: Sequence[date | datetime], wanted: UsageFilter) -> Buckets:
    return Buckets(
        names=tuple(_name(start, wanted) for start in starts),
        labels=tuple(_label(start, wanted) for start in starts),
        unfinished=sum(_is_unfinished(start, wanted) for start in starts),
    )


def _is_unfinished(start: date | datetime, wanted: UsageFilter) -> bool:
    if isinstance(start, datetime):
        return start >= wanted.now.replace(minute=0, second=0, microsecond=0)
    return start >= bucket_of(day_of(wanted.now, wanted.zone), wanted.bucket)


def _name(start: date | datetime, wanted: UsageFilter) -> str:
    if isinstance(start, datetime):
        return formatting.moment(start, wanted.zone)
    if wanted.bucket == "week":
        return _("week of %(day)s") % {"day": formatting.day(start)}
    return formatting.month(start) if wanted.bucket == "month" else formatting.day(start)


def _label(start: date | datetime, wanted: UsageFilter) -> str:
    if isinstance(start, datetime):
        return formatting.clock(start, wanted.zone)
    return formatting.month(start) if wanted.bucket == "month" else formatting.short_day(start)
