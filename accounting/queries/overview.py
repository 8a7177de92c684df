"""Everything the first page shows: how much, where, and where the month will end."""

from collections import defaultdict
from dataclasses import dataclass, replace

from accounting.queries.change import CUT, ChangeAnswer, change_between, summed_by_model
from accounting.queries.comparing import comparison
from accounting.queries.filters import UsageFilter
from accounting.queries.grouping import Summed, whole_of
from accounting.queries.health import Health, books_health
from accounting.queries.leading import Leading, greatest, leading
from accounting.queries.points import usage_points
from accounting.queries.projection import MonthAhead, month_ahead
from accounting.queries.series import (
    Series,
    Stack,
    ghosts_of,
    stack_beside,
    stacked,
)
from accounting.queries.sessions import SessionSummary, session_summary
from accounting.queries.snapshots import snapshot
from accounting.queries.spend import UsageRow, UsageTable, named_rows, usage_table
from accounting.queries.totals import Totals
from accounting.queries.wrapping import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The first page.

    previous, change: None where nothing is compared; ghosts: the stack's metric in that range, by bucket.
    models, projects: the greatest of each by the filter's metric, at most ten. stack: by day and
    model unless the filter says otherwise. sessions, month, projects: None unless asked for with the
    rest; projects are known too where the stack is by project.
    """

    wanted: UsageFilter
    totals: Totals
    previous: Totals | None
    change: ChangeAnswer | None
    sessions: SessionSummary | None
    stack: Stack
    ghosts: tuple[Series, ...]
    models: tuple[UsageRow, ...]
    projects: tuple[UsageRow | Leading, ...] | None
    month: MonthAhead | None
    health: Health


def overview(wanted: UsageFilter, *, is_whole: bool = False) -> Overview:
    """The first page's figures; is_whole: with its parts, which take longer than all else.

    All of one moment of the books, in seven statements: one by model, two for the range before, one for
    the stack, three for health; one more where the stack is by anything else than a change is explained
    by, another by project or key; two less where nothing is compared. The whole has two more for
    projects, one for sessions and three or four for the projection, two while history is short.
    """
    before, cut = comparison(wanted), stacked(wanted)
    whole = replace(cut, bucket="", group="")
    earlier = replace(before, bucket=cut.bucket, group="", sub="") if before else None
    with snapshot():
        after = summed_by_model(wanted)
        table = _table(cut, after)
        change = change_between(summed_by_model(before), after) if before else None
        return Overview(
            wanted=wanted,
            totals=table.totals,
            previous=change.before if change else None,
            change=change,
            ghosts=ghosts_of(earlier, usage_points(earlier)) if earlier else (),
            sessions=session_summary(wanted) if is_whole else None,
            stack=stack_beside(cut, table),
            models=greatest(_by(replace(whole, group="model"), after), wanted),
            projects=_projects(cut, table, is_whole=is_whole),
            month=month_ahead(wanted) if is_whole else None,
            health=books_health(wanted.organization_id),
        )


def leading_projects(wanted: UsageFilter) -> tuple[Leading, ...]:
    """The greatest projects by the filter's metric, at most ten. Two statements."""
    return leading(replace(wanted, bucket="", group="project", sub=""))


def _projects(
    cut: UsageFilter, table: UsageTable, *, is_whole: bool
) -> tuple[UsageRow | Leading, ...] | None:
    if cut.group == "project":
        return greatest(table.rows, cut)
    return leading_projects(cut) if is_whole else None


def _table(cut: UsageFilter, found: Summed) -> UsageTable:
    """All rows by what the stack is cut by."""
    whole = replace(cut, bucket="")
    if cut.group not in CUT:
        return usage_table(whole)
    return UsageTable(wanted=whole, rows=_by(whole, found), totals=whole_of(found.rows))


def _by(whole: UsageFilter, found: Summed) -> tuple[UsageRow, ...]:
    """Sums by model as rows by one of CUT alone. No statement."""
    by_value: dict[str, list[Row]] = defaultdict(list)
    for row in found.rows:
        by_value[row[f"key_{CUT.index(whole.group)}"]].append(row)
    return named_rows(whole, [((v,), whole_of(rows)) for v, rows in sorted(by_value.items())])
