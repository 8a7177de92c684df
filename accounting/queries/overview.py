"""Everything the first page shows: how much, where, and where the month will end."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.health import Health, books_health
from accounting.queries.points import usage_points
from accounting.queries.projection import Projection, month_projections
from accounting.queries.series import Series, Stack, ghosts_of, metric_amounts, usage_stack
from accounting.queries.sessions import SessionSummary, session_summary
from accounting.queries.spend import UsageRow, UsageTable, usage_rows, usage_totals
from accounting.queries.totals import Totals

TOP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The first page.

    previous: None where nothing is compared; ghosts: the stack's metric in that range, by bucket.
    models, projects: the greatest of each by the filter's metric, at most TOP. stack: by day and
    model unless the filter says otherwise.
    """

    wanted: UsageFilter
    totals: Totals
    previous: Totals | None
    sessions: SessionSummary
    stack: Stack
    ghosts: tuple[Series, ...]
    models: tuple[UsageRow, ...]
    projects: tuple[UsageRow, ...]
    projections: tuple[Projection, ...]
    health: Health


def overview(wanted: UsageFilter) -> Overview:
    """The first page's figures.

    Fourteen statements: one for the stack, one for models, two for projects, two for the range before,
    one for sessions, four for the projection, three for health; one more where the stack is by anything
    but models, another by project or key, two less where nothing is compared, two less while history is
    short.
    """
    before = comparison(wanted)
    stack, table = usage_stack(wanted)
    whole = replace(wanted, bucket="", sub="")
    earlier = replace(before, bucket=wanted.bucket or "day", group="", sub="") if before else None
    return Overview(
        wanted=wanted,
        totals=table.totals,
        previous=usage_totals(earlier) if earlier else None,
        ghosts=ghosts_of(earlier, usage_points(earlier)) if earlier else (),
        sessions=session_summary(wanted),
        stack=stack,
        models=top(_groups(table, whole, "model"), wanted),
        projects=top(_groups(table, whole, "project"), wanted),
        projections=month_projections(wanted),
        health=books_health(wanted.organization_id),
    )


def _groups(table: UsageTable, whole: UsageFilter, group: str) -> tuple[UsageRow, ...]:
    """All rows by one dimension: the stack's table where that is what it is cut by."""
    if table.wanted.group == group:
        return table.rows
    return usage_rows(replace(whole, group=group))


def top(rows: Iterable[UsageRow], wanted: UsageFilter, limit: int = TOP) -> tuple[UsageRow, ...]:
    """The greatest rows by the filter's metric; cost compares in the organization's currency.

    Where that is unknown or equal, more requests come first, so that unpriced rows are not lost.
    """

    def rank(row: UsageRow) -> tuple[Decimal, int, int, str]:
        totals = row.totals
        if wanted.metric == "cost":
            amount = totals.cost_base or totals.cost_in(wanted.currency)
        else:
            amount = next((a for _, a in metric_amounts(totals, wanted.metric)), Decimal(0))
        label = row.group.label if row.group else ""
        return -amount, -totals.unpriced_tokens, -totals.requests, label

    return tuple(sorted(rows, key=rank)[:limit])
