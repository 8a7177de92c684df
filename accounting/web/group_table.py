"""The groups of a cut as a table: each with its share, its change, and the links that narrow to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from django.utils.translation import gettext_lazy as _

from accounting.queries.exploring import Explored
from accounting.queries.filters import FilterError
from accounting.queries.measures import RATIOS, measured, weight
from accounting.queries.spend import Member, UsageRow
from accounting.queries.totals import Totals, exact_sum
from accounting.web.columns import Column, column
from accounting.web.deltas import Delta, metric_delta
from accounting.web.formatting import Real

PAGE_ROWS = 100
#: What the table can be ordered by -> its heading; '' is by the metric of the page.
LABELS = (
    ("cost", _("Spend")),
    ("input", _("Input")),
    ("cached", _("Cached")),
    ("output", _("Output")),
    ("ratio", _("In : out")),
    ("hit", _("Cache hit")),
    ("requests", _("Requests")),
    ("errors", _("Errors")),
)
_VALUES: Mapping[str, str] = {
    "input": "input_tokens",
    "cached": "cache_read_input_tokens",
    "output": "output_tokens",
    "ratio": "input_output_ratio",
    "hit": "cache_hit_rate",
    "requests": "requests",
    "errors": "errors",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A group's name, and what an address gets to show it alone, or everything but it."""

    member: Member
    only: Mapping[str, str | None]
    without: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One group. share: of the page's metric, None where that does not add up."""

    names: tuple[Named, ...]
    totals: Totals
    share: Fraction | None
    delta: Delta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTable:
    """One page of the groups. count: how many there are; pages: how many pages that makes."""

    rows: tuple[GroupRow, ...]
    columns: tuple[Column, ...]
    count: int
    page: int
    pages: int


def group_table(found: Explored, order: str, page: int) -> GroupTable:
    """The page of an explored cut's groups in an order; page: from 1. Raises FilterError."""
    rows = _ordered(found, order)
    pages = max(1, -(-len(rows) // PAGE_ROWS))
    page = min(max(page, 1), pages)
    whole = exact_sum(
        weight(row.totals, found.wanted.metric, found.wanted.currency) for row in rows
    )
    shown = rows[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
    return GroupTable(
        rows=tuple(_row(row, found, Fraction(whole)) for row in shown),
        columns=tuple(column(name, label, order) for name, label in LABELS),
        count=len(rows),
        page=page,
        pages=pages,
    )


def _ordered(found: Explored, order: str) -> Sequence[UsageRow]:
    if not order:
        return found.rows
    name = order.removeprefix("-")
    if name not in dict(LABELS):
        expected = ", ".join(dict(LABELS))
        raise FilterError("unknown_order", f"order={order[:40]!r}, expected {expected}", "order")

    def value(row: UsageRow) -> Fraction:
        if name == "cost":
            return Fraction(weight(row.totals, "cost", found.wanted.currency))
        known = cast("Real | None", getattr(row.totals, _VALUES[name]))
        # What is unknown stands below 0 and is no number.
        return Fraction(-1) if known is None else Fraction(known)

    return sorted(found.rows, key=value, reverse=order.startswith("-"))


def _row(row: UsageRow, found: Explored, whole: Fraction) -> GroupRow:
    wanted = found.wanted
    members = zip((wanted.group, wanted.sub), (row.group, row.sub), strict=True)
    share = None
    if wanted.metric not in RATIOS and whole > 0:
        share = Fraction(weight(row.totals, wanted.metric, wanted.currency)) / whole
    return GroupRow(
        names=tuple(named(name, member) for name, member in members if member),
        totals=row.totals,
        share=share,
        delta=_delta(row, found),
    )


def named(name: str, member: Member) -> Named:
    """A member of a dimension with what leads to it alone."""
    only = {name: member.value, "page": None}
    return Named(member=member, only=only, without=(f"{name}!", member.value))


def _delta(row: UsageRow, found: Explored) -> Delta | None:
    if found.before is None:
        return None
    now = measured(row.totals, found.wanted)
    return metric_delta(found.wanted.metric, now, found.before.of(row.key))
