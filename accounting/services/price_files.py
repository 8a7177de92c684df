"""Price tables as people write them: JSON or CSV, read into rows. Nothing is guessed about money."""

import csv
import io
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from accounting.domain.errors import BadRateError, DomainError
from accounting.services import price_entries as entries
from accounting.services import price_fields as fields
from accounting.services.price_feeds import LeftOut
from accounting.services.price_overlaps import Placed, refuse_overlaps
from accounting.services.price_rows import (
    AliasRow,
    BookRow,
    ConversionRow,
    MultiplierRow,
    RateRow,
)
from accounting.services.timelines import Timed

__all__ = ["BookRow", "PriceTable", "read_table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """What one file holds. books: rates and multipliers by the book they go into.

    left_out: what a feed says that has no place in our table.
    """

    books: tuple[tuple[BookRow, tuple[RateRow | MultiplierRow, ...]], ...] = ()
    credit_rates: tuple[ConversionRow, ...] = ()
    fx_rates: tuple[ConversionRow, ...] = ()
    aliases: tuple[AliasRow, ...] = ()
    left_out: tuple[LeftOut, ...] = ()


def read_table(
    content: bytes,
    *,
    zone: ZoneInfo,
    currency: str,
    credit_kind: str,
    kinds: Collection[str] = (),
) -> PriceTable:
    """The rows of a JSON or CSV price table.

    A date without a time begins at midnight in `zone`; an instant with an offset stays as written
    for a price, and is taken back to its local midnight for a credit or exchange rate. currency,
    credit_kind: of credit rates that name none. kinds: credit kinds that a book may be in, beside
    those that the file itself sets. Raises BadRateError with the place of the first row that cannot
    be read, or of both that overlap.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRateError(f"the file is not UTF-8: {error.reason}") from error
    if not text.lstrip().startswith(("{", "[")):
        return _csv_table(text, zone, {credit_kind, *kinds})
    try:
        # Numbers stay text, so that 0.1 is 0.1 and nothing passes through binary fractions.
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=_refuse)
    except RecursionError as error:
        raise BadRateError("the file is no price table: it nests too deep") from error
    except ValueError as error:
        raise BadRateError(f"the file is no JSON: {error}") from error
    documents = found if isinstance(found, list) else [found]
    reading = _Reading(zone=zone, currency=currency, credit_kind=credit_kind, kinds={*kinds})
    for document in documents:
        _read_document(document, reading)
    refuse_overlaps(reading.placed)
    return reading.table()


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What the documents of a file came to so far."""

    zone: ZoneInfo
    currency: str
    credit_kind: str
    kinds: set[str]
    books: list[tuple[BookRow, tuple[RateRow | MultiplierRow, ...]]] = field(default_factory=list)
    placed: list[Placed[Any]] = field(default_factory=list)
    aliases: list[AliasRow] = field(default_factory=list)

    def keep[R: Timed](self, group: object, rows: Iterable[tuple[str, R]]) -> tuple[R, ...]:
        """The rows without their places, which are kept to look for overlaps."""
        found = [Placed(place=place, group=group, row=row) for place, row in rows]
        self.placed += found
        return tuple(one.row for one in found)

    def table(self) -> PriceTable:
        """All of it."""
        return PriceTable(
            books=tuple(self.books),
            credit_rates=self._of("credit"),
            fx_rates=self._of("fx"),
            aliases=tuple(self.aliases),
        )

    def _of(self, group: str) -> tuple[ConversionRow, ...]:
        return tuple(one.row for one in self.placed if one.group == group)


def _read_document(document: Any, reading: _Reading) -> None:
    if not isinstance(document, dict):
        raise BadRateError("expected an object with book, rates or credit_rates")
    known = {"book", "rates", "multipliers", "credit_rates", "fx_rates", "aliases"}
    fields.only(document, known, "the table")
    credit_rates = list(
        _each(
            document,
            "credit_rates",
            lambda row: entries.credit_of(row, reading.zone, reading.currency, reading.credit_kind),
        )
    )
    kinds = {reading.credit_kind, *(row.what for _, row in credit_rates)} | reading.kinds
    reading.kinds = kinds
    rows: list[tuple[str, RateRow | MultiplierRow]] = [
        *_each(document, "rates", lambda row: entries.rate_of(row, reading.zone)),
        *_each(document, "multipliers", lambda row: entries.multiplier_of(row, reading.zone)),
    ]
    if "book" in document or rows:
        book = _at("book", lambda row: entries.book_of(row, kinds), document.get("book"))
        reading.books.append((book, reading.keep(book.code, rows)))
    reading.keep("credit", credit_rates)
    reading.keep("fx", _each(document, "fx_rates", lambda row: entries.fx_of(row, reading.zone)))
    reading.aliases += [row for _, row in _each(document, "aliases", entries.alias_of)]


def _csv_table(text: str, zone: ZoneInfo, kinds: Collection[str]) -> PriceTable:
    books: dict[BookRow, list[RateRow | MultiplierRow]] = {}
    placed: list[Placed[Any]] = []
    for number, line in _csv_rows(text):
        place = f"row {number}"
        row = {name.strip(): value for name, value in line.items() if value}
        if "book" in row:
            row["code"] = row.pop("book")
        row = {name.removeprefix("book."): value for name, value in row.items()}
        book = {name: row.pop(name) for name in entries.BOOK_NAMES if name in row}
        key = _at(place, lambda row: entries.book_of(row, kinds), book)
        rate = _at(place, lambda row: entries.rate_of(row, zone), row)
        books.setdefault(key, []).append(rate)
        placed.append(Placed(place=place, group=key.code, row=rate))
    refuse_overlaps(placed)
    return PriceTable(books=tuple((book, tuple(rows)) for book, rows in books.items()))


def _csv_rows(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row under its header, with its number; the header is row 1."""
    try:
        for number, row in enumerate(csv.DictReader(io.StringIO(text), strict=True), start=2):
            if None in row:
                raise BadRateError(f"row {number} has more fields than the header")
            yield number, row
    except csv.Error as error:
        raise BadRateError(f"the file is no CSV: {error}") from error


def _each[R](
    document: Mapping[str, Any], name: str, read: Callable[[Mapping[str, Any]], R]
) -> Iterator[tuple[str, R]]:
    """Each row of a list with its place."""
    rows = document.get(name) or []
    if not isinstance(rows, list):
        raise BadRateError(f"{name} is no list")
    for number, row in enumerate(rows):
        place = f"{name}[{number}]"
        yield place, _at(place, read, row)


def _at[R](place: str, read: Callable[[Mapping[str, Any]], R], row: Any) -> R:
    """The row read, or a BadRateError that names its place in the file."""
    try:
        if not isinstance(row, Mapping):
            raise BadRateError("expected an object")
        return read(row)
    except DomainError as error:
        raise BadRateError(f"{place}: {error}") from error


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")
