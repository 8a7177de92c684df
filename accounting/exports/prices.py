"""The prices in force as a table."""

from collections.abc import Iterator
from datetime import datetime, tzinfo

from accounting.domain.money import plain
from accounting.domain.rates import Tiers
from accounting.exports.tables import AMOUNT, COUNT, MOMENT, Column, Row, Table, columns
from accounting.queries.price_list import RateFilter, RateKey, rate_page
from accounting.queries.price_rows import PriceRow
from accounting.queries.prices import newest_version
from accounting.queries.snapshots import CHUNK_ROWS

COLUMNS = (
    *columns("book", "currency", "provider", "model", "unit"),
    Column(name="price", kind=AMOUNT),
    Column(name="per", kind=COUNT),
    *columns("from", "to", kind=MOMENT),
    Column(name="input_gt", kind=COUNT),
    *columns("conditions", "window", "tier_mode", "tiers"),
    Column(name="priority", kind=COUNT),
    *columns("source", "note"),
    Column(name="price_version", kind=COUNT),
)


def price_export(organization_id: int, asked: RateFilter, at: datetime, zone: tzinfo) -> Table:
    """A row for each rate in force at a moment, own books first. To be read in a snapshot.

    zone: in which times are told.
    """
    return Table(
        name="prices",
        columns=COLUMNS,
        rows=(_cells(row, zone) for row in _each_rate(organization_id, asked, at)),
    )


def _each_rate(organization_id: int, asked: RateFilter, at: datetime) -> Iterator[PriceRow]:
    version = newest_version(organization_id)
    after: RateKey | None = None
    has_more = True
    while has_more:
        page = rate_page(
            organization_id, asked, at=at, version=version, limit=CHUNK_ROWS, after=after
        )
        for rate in page.rates:
            yield rate.row
            after = rate.key
        has_more = page.has_more


def _cells(row: PriceRow, zone: tzinfo) -> Row:
    return (
        row.book,
        row.currency,
        row.provider,
        row.model or "*",
        row.unit,
        row.price,
        row.per,
        row.effective_from.astimezone(zone),
        row.effective_to.astimezone(zone) if row.effective_to else None,
        row.input_gt,
        "; ".join(f"{name}: {value}" for name, value in sorted(row.conditions.items())),
        row.window,
        row.tiers.mode if row.tiers else "",
        _steps(row.tiers) if row.tiers else "",
        row.priority,
        row.source,
        row.note,
        row.version,
    )


def _steps(tiers: Tiers) -> str:
    """As a price file writes them."""
    return "; ".join(f"{above}:{plain(price)}" for above, price in tiers.steps)
