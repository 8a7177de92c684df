"""Rates as people read them."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from accounting.domain.rates import Tiers
from accounting.models import Rate
from accounting.queries.rate_rows import KIND_RANK


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRow:
    """A rate as people read it: what, where, how much, from when to when, under which conditions."""

    id: int
    book: str
    currency: str
    provider: str
    model: str
    unit: str
    price: Decimal
    per: int
    effective_from: datetime
    effective_to: datetime | None
    input_gt: int | None
    conditions: dict[str, str]
    window: str
    priority: int
    source: str
    note: str
    version: int
    tiers: Tiers | None = None


def table_order(row: Rate) -> tuple[Any, ...]:
    """Own books first, then by kind of book, book, provider, model and unit."""
    model = row.model
    return (
        row.book.organization_id is None,
        KIND_RANK[row.book.kind],
        row.book.code,
        model.provider if model else row.provider,
        model.name if model else "",
        row.unit,
        row.input_gt or -1,
        sorted(row.conditions.items()),
        row.window_zone,
        row.pk,
    )


def price_row(row: Rate, tiers: Tiers | None = None) -> PriceRow:
    """A rate with its book and model, which must be loaded, as a person reads it."""
    model = row.model
    return PriceRow(
        id=row.pk,
        book=row.book.code,
        currency=row.book.currency,
        provider=model.provider if model else row.provider,
        model=model.name if model else "",
        unit=row.unit,
        price=row.price,
        per=row.per,
        effective_from=row.effective_from,
        effective_to=row.effective_to,
        input_gt=row.input_gt,
        conditions=row.conditions,
        window=_window_text(row),
        priority=row.priority,
        source=row.source,
        note=row.note,
        version=row.added_version_id,
        tiers=tiers,
    )


def _window_text(row: Rate) -> str:
    if not row.window_zone or row.window_weekdays is None:
        return ""
    days = "".join(
        name
        for bit, name in enumerate(("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"))
        if row.window_weekdays >> bit & 1
    )
    return f"{days} {row.window_from:%H:%M}-{row.window_to:%H:%M} {row.window_zone}"
