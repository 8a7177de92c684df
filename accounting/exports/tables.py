"""A table to be exported: named columns of one kind each, and rows that are made while they are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

#: None is unknown, and an empty cell. A str is text and never a number; floats are durations alone.
type Cell = str | int | float | Decimal | date | datetime | None
type Row = tuple[Cell, ...]

TEXT, COUNT, AMOUNT, DURATION, DAY, MOMENT = "text", "count", "amount", "duration", "day", "moment"
KINDS = (TEXT, COUNT, AMOUNT, DURATION, DAY, MOMENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """name: as programs read it. kind: of KINDS; amounts are money, credits and ratios."""

    name: str
    kind: str = TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A header and rows below it, without a row of totals: the sum of a column is the total."""

    name: str
    columns: tuple[Column, ...]
    rows: Iterator[Row]


def columns(*names: str, kind: str = TEXT) -> tuple[Column, ...]:
    """Columns of one kind."""
    return tuple(Column(name=name, kind=kind) for name in names)
