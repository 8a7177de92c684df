"""Imports as a table: the outcome of every line, and what each changed in the books."""

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from decimal import Decimal

from accounting.domain.changes import REPORTED_KINDS, Change
from accounting.exports.tables import AMOUNT, COUNT, MOMENT, Column, Row, Table, columns
from accounting.models.imports import LINE_COUNTERS
from accounting.queries.imports import ImportSummary, import_page
from accounting.queries.snapshots import CHUNK_ROWS

_COSTS = ("cost", "reported_cost")
_CHANGED = ("requests", "errors", *REPORTED_KINDS, "unpriced_requests")


def import_export(organization_id: int, zone: tzinfo, only_project_id: int | None = None) -> Table:
    """A row for each import, newest first. To be asked, and its rows read, in a snapshot.

    zone: in which times are told. only_project_id: only imports that are charged to it as a whole.
    """
    amounts = {
        name: sorted(
            {
                currency
                for one in _each_import(organization_id, only_project_id)
                for currency in getattr(_change(one), name)
            }
        )
        for name in _COSTS
    }
    return Table(
        name="imports",
        columns=(
            Column(name="import_id", kind=COUNT),
            *columns("path", "format", "state", "error_code", "reason"),
            *columns("received_at", "finished_at", kind=MOMENT),
            *columns(*LINE_COUNTERS, *_CHANGED, kind=COUNT),
            *columns(
                *(f"{name}_{currency}" for name in _COSTS for currency in amounts[name]),
                kind=AMOUNT,
            ),
        ),
        rows=(_cells(one, zone, amounts) for one in _each_import(organization_id, only_project_id)),
    )


def _each_import(organization_id: int, only_project_id: int | None) -> Iterator[ImportSummary]:
    after: int | None = None
    has_more = True
    while has_more:
        page = import_page(
            organization_id, limit=CHUNK_ROWS, after=after, only_project_id=only_project_id
        )
        for one in page.imports:
            yield one
            after = one.id
        has_more = page.has_more


def _change(found: ImportSummary) -> Change:
    return Change.from_json(found.change)


def _cells(found: ImportSummary, zone: tzinfo, amounts: Mapping[str, list[str]]) -> Row:
    change = _change(found)
    costs: list[Decimal | None] = [
        getattr(change, name).get(currency) for name in _COSTS for currency in amounts[name]
    ]
    return (
        found.id,
        found.path,
        found.format,
        found.state,
        found.error_code,
        found.reason,
        found.received_at.astimezone(zone),
        found.finished_at.astimezone(zone) if found.finished_at else None,
        *(found.outcomes[name] for name in LINE_COUNTERS),
        *(getattr(change, name) for name in _CHANGED),
        *costs,
    )
