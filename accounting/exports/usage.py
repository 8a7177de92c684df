"""Usage by time and dimensions, and sessions, as tables."""

from collections.abc import Iterator

from accounting.exports.figures import Figures
from accounting.exports.tables import DAY, MOMENT, Cell, Column, Row, Table
from accounting.queries.filters import UsageFilter
from accounting.queries.sessions import DEFAULT_ORDER, each_session, session_totals
from accounting.queries.spend import Member, UsageRow, each_usage_row, usage_totals

PROJECT = "project"
_NOTHING = Member(value="", label="")


def usage_export(wanted: UsageFilter) -> Table:
    """A row for each bucket of each group. To be asked, and its rows read, in a snapshot."""
    figures = Figures(usage_totals(wanted))
    bucket = Column(name="bucket", kind=MOMENT if wanted.bucket == "hour" else DAY)
    return Table(
        name="usage",
        columns=(
            *((bucket,) if wanted.bucket else ()),
            *(Column(name=name) for name in _names(wanted)),
            *figures.columns,
        ),
        rows=((*_place(wanted, row), *figures.cells(row.totals)) for row in each_usage_row(wanted)),
    )


def session_export(wanted: UsageFilter, order: str = DEFAULT_ORDER) -> Table:
    """A row for each session that started in the range. As usage_export."""
    figures = Figures(session_totals(wanted))
    return Table(
        name="sessions",
        columns=(
            Column(name="session"),
            Column(name="started_at", kind=MOMENT),
            Column(name="ended_at", kind=MOMENT),
            *figures.columns,
        ),
        rows=_sessions(wanted, order, figures),
    )


def _sessions(wanted: UsageFilter, order: str, figures: Figures) -> Iterator[Row]:
    for row in each_session(wanted, order):
        yield row.session_id, row.started_at, row.ended_at, *figures.cells(row.totals)


def _names(wanted: UsageFilter) -> Iterator[str]:
    """The columns that say what a row is of: a project by its slug and by its name."""
    for name in (wanted.group, wanted.sub):
        if name:
            yield name
        if name == PROJECT:
            yield "project_name"


def _place(wanted: UsageFilter, row: UsageRow) -> Iterator[Cell]:
    if wanted.bucket:
        yield row.bucket
    for name, member in ((wanted.group, row.group), (wanted.sub, row.sub)):
        told = member or _NOTHING
        if name:
            yield told.value
        if name == PROJECT:
            yield told.label
