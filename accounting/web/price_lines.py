"""Rates as a table of models: one line per model and condition, one column per common unit."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounting.domain.money import plain
from accounting.domain.units import UNITS
from accounting.queries.prices import PriceRow
from accounting.web.rate_words import conditions_of

#: The units that have a column, and what people call them.
COLUMNS: tuple[tuple[str, Promise], ...] = (
    ("input", _("Input")),
    ("input.cache_read", _("Cached input")),
    ("input.cache_write", _("Cache write")),
    ("input.cache_write.5m", _("Write, 5 min")),
    ("input.cache_write.1h", _("Write, 1 h")),
    ("output", _("Output")),
    ("output.reasoning", _("Reasoning")),
)
_COLUMN_UNITS = frozenset(unit for unit, _label in COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherPrice:
    """A price of something that has no column, with the number it is quoted for."""

    unit: str
    price: Decimal
    per: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceLine:
    """What one model costs under one set of conditions.

    prices: one per column with its heading, per million tokens, None where the book has none. starts: the latest start
    among its rates.
    """

    book: str
    currency: str
    provider: str
    model: str
    condition: str
    starts: datetime
    prices: tuple[tuple[Promise, Decimal | None], ...]
    others: tuple[OtherPrice, ...]


def decimals_by_column(lines: Iterable[PriceLine]) -> dict[str, int]:
    """How many decimals the longest price under each heading has: its others are moved to stand in line."""
    found: dict[str, int] = {}
    for line in lines:
        for label, price in line.prices:
            if price is not None:
                found[str(label)] = max(found.get(str(label), 2), _decimals(price))
    return found


def filled_columns(lines: Iterable[PriceLine]) -> frozenset[str]:
    """The headings, as text, of columns in which some line has a price."""
    return frozenset(
        str(label) for line in lines for label, price in line.prices if price is not None
    )


def price_lines(rows: Iterable[PriceRow]) -> list[PriceLine]:
    """One line per model and condition, in the order of their first rows."""
    grouped: dict[tuple[object, ...], list[PriceRow]] = {}
    for row in rows:
        key = (row.book, row.provider, row.model, conditions_of(row))
        grouped.setdefault(key, []).append(row)
    return [_line(group) for group in grouped.values()]


def _decimals(price: Decimal) -> int:
    return len(plain(price).partition(".")[2])


def _line(rows: list[PriceRow]) -> PriceLine:
    first = rows[0]
    by_unit = {row.unit: _per_unit(row) for row in rows}
    return PriceLine(
        book=first.book,
        currency=first.currency,
        provider=first.provider,
        model=first.model,
        condition=conditions_of(first),
        starts=max(row.effective_from for row in rows),
        prices=tuple(
            (label, by_unit[unit].price if unit in by_unit else None) for unit, label in COLUMNS
        ),
        others=tuple(
            OtherPrice(unit=row.unit, price=row.price, per=row.per)
            for row in by_unit.values()
            if row.unit not in _COLUMN_UNITS
        ),
    )


def _per_unit(row: PriceRow) -> PriceRow:
    """The same rate per million tokens, whatever number it was entered for."""
    unit = UNITS.get(row.unit)
    if unit is None or not unit.is_token or row.per == unit.per:
        return row
    price = row.price * (unit.per // row.per) if unit.per % row.per == 0 else row.price
    return replace(row, price=price, per=unit.per if unit.per % row.per == 0 else row.per)
