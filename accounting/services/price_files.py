"""Price tables as people write them: JSON or CSV, read into rows. Nothing is guessed about money."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from accounting.domain.errors import BadRateError, DomainError
from accounting.domain.naming import provider_id
from accounting.domain.units import UNITS
from accounting.services import price_fields as fields
from accounting.services.price_feeds import LeftOut
from accounting.services.price_rows import AliasRow, ConversionRow, MultiplierRow, RateRow

BOOK_NAMES = {"code", "currency", "parent", "kind", "name", "project"}
RATE_NAMES = {"price", "per", "tier_mode", "tiers"}
CONVERSION_NAMES = ("from", "to", "note", "source")


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRow:
    """The book that rates go into. currency '': that of the book, which must exist."""

    code: str
    currency: str = ""
    parent: str = ""
    kind: str = ""
    name: str = ""
    project: str = ""


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


def read_table(content: bytes, *, zone: ZoneInfo, currency: str, credit_kind: str) -> PriceTable:
    """The rows of a JSON or CSV price table.

    A date without a time begins at midnight in `zone`; an instant with an offset stays as written
    for a price, and is taken back to its local midnight for a credit or exchange rate. currency,
    credit_kind: of credit rates that name none. Raises BadRateError with the place of the first row
    that cannot be read.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadRateError(f"the file is not UTF-8: {error.reason}") from error
    if not text.lstrip().startswith(("{", "[")):
        return _csv_table(text, zone)
    try:
        # Numbers stay text, so that 0.1 is 0.1 and nothing passes through binary fractions.
        found = json.loads(text, parse_float=str, parse_int=str, parse_constant=_refuse)
    except RecursionError as error:
        raise BadRateError("the file is no price table: it nests too deep") from error
    except ValueError as error:
        raise BadRateError(f"the file is no JSON: {error}") from error
    documents = found if isinstance(found, list) else [found]
    tables = [_json_table(document, zone, currency, credit_kind) for document in documents]
    return PriceTable(
        books=tuple(book for table in tables for book in table.books),
        credit_rates=tuple(row for table in tables for row in table.credit_rates),
        fx_rates=tuple(row for table in tables for row in table.fx_rates),
        aliases=tuple(row for table in tables for row in table.aliases),
    )


def _json_table(document: Any, zone: ZoneInfo, currency: str, credit_kind: str) -> PriceTable:
    if not isinstance(document, dict):
        raise BadRateError("expected an object with book, rates or credit_rates")
    known = {"book", "rates", "multipliers", "credit_rates", "fx_rates", "aliases"}
    fields.only(document, known, "the table")
    rows: list[RateRow | MultiplierRow] = [
        *_each(document, "rates", lambda row: _rate(row, zone)),
        *_each(document, "multipliers", lambda row: _multiplier(row, zone)),
    ]
    books: tuple[Any, ...] = ()
    if "book" in document or rows:
        books = ((_at("book", _book, document.get("book")), tuple(rows)),)
    return PriceTable(
        books=books,
        credit_rates=tuple(
            _each(document, "credit_rates", lambda row: _credit(row, zone, currency, credit_kind))
        ),
        fx_rates=tuple(_each(document, "fx_rates", lambda row: _fx(row, zone))),
        aliases=tuple(_each(document, "aliases", _alias)),
    )


def _csv_table(text: str, zone: ZoneInfo) -> PriceTable:
    books: dict[BookRow, list[RateRow | MultiplierRow]] = {}
    for number, line in enumerate(csv.DictReader(io.StringIO(text)), start=2):
        if None in line:
            raise BadRateError(f"row {number} has more fields than the header")
        row = {name.strip(): value for name, value in line.items() if value}
        if "book" in row:
            row["code"] = row.pop("book")
        row = {name.removeprefix("book."): value for name, value in row.items()}
        book = {name: row.pop(name) for name in BOOK_NAMES if name in row}
        key = _at(f"row {number}", _book, book)
        rate = _at(f"row {number}", lambda row: _rate(row, zone), row)
        books.setdefault(key, []).append(rate)
    return PriceTable(books=tuple((book, tuple(rows)) for book, rows in books.items()))


def _each[R](
    document: Mapping[str, Any], name: str, read: Callable[[Mapping[str, Any]], R]
) -> Iterator[R]:
    rows = document.get(name) or []
    if not isinstance(rows, list):
        raise BadRateError(f"{name} is no list")
    for number, row in enumerate(rows):
        yield _at(f"{name}[{number}]", read, row)


def _at[R](place: str, read: Callable[[Mapping[str, Any]], R], row: Any) -> R:
    """The row read, or a BadRateError that names its place in the file."""
    try:
        if not isinstance(row, Mapping):
            raise BadRateError("expected an object")
        return read(row)
    except DomainError as error:
        raise BadRateError(f"{place}: {error}") from error


def _book(row: Mapping[str, Any]) -> BookRow:
    fields.only(row, BOOK_NAMES, "a book")
    return BookRow(
        code=fields.text(row, "code", needed=True, longest=64),
        currency=fields.currency(row, "currency"),
        parent=fields.text(row, "parent"),
        kind=fields.text(row, "kind"),
        name=fields.text(row, "name"),
        project=fields.text(row, "project"),
    )


def _rate(row: Mapping[str, Any], zone: ZoneInfo) -> RateRow:
    fields.only(row, fields.MATCH_NAMES | RATE_NAMES, "a rate")
    unit = fields.unit(row)
    per = fields.count(row, "per")
    return RateRow(
        **fields.match(row, unit, zone),
        price=fields.price(row, "price"),
        per=UNITS[unit].per if per is None else per,
        tiers=fields.tiers(row),
    )


def _multiplier(row: Mapping[str, Any], zone: ZoneInfo) -> MultiplierRow:
    fields.only(row, fields.MATCH_NAMES | {"factor", "stack_group"}, "a multiplier")
    return MultiplierRow(
        **fields.match(row, fields.unit(row) if row.get("unit") else "", zone),
        factor=fields.price(row, "factor"),
        stack_group=fields.text(row, "stack_group", longest=64) or "default",
    )


def _credit(
    row: Mapping[str, Any], zone: ZoneInfo, currency: str, credit_kind: str
) -> ConversionRow:
    fields.only(row, {"kind", "currency", "price", *CONVERSION_NAMES}, "a credit rate")
    return ConversionRow(
        what=fields.text(row, "kind", longest=40) or credit_kind,
        currency=fields.currency(row, "currency") or currency,
        price=fields.positive(row, "price"),
        **_midnights(row, zone),
    )


def _fx(row: Mapping[str, Any], zone: ZoneInfo) -> ConversionRow:
    names = {"from_currency", "to_currency", "rate", *CONVERSION_NAMES}
    fields.only(row, names, "an exchange rate")
    return ConversionRow(
        what=fields.currency(row, "from_currency", needed=True),
        currency=fields.currency(row, "to_currency", needed=True),
        price=fields.positive(row, "rate"),
        **_midnights(row, zone),
    )


def _alias(row: Mapping[str, Any]) -> AliasRow:
    fields.only(row, {"provider", "alias", "model", "model_provider"}, "an alias")
    provider = provider_id(fields.text(row, "provider", longest=64))
    return AliasRow(
        provider=provider,
        alias=fields.text(row, "alias", needed=True).lower(),
        model_provider=provider_id(fields.text(row, "model_provider", longest=64)) or provider,
        model=fields.text(row, "model", needed=True),
    )


def _midnights(row: Mapping[str, Any], zone: ZoneInfo) -> dict[str, Any]:
    return {
        "effective_from": fields.midnight(row, "from", zone),
        "effective_to": fields.midnight(row, "to", zone) if row.get("to") else None,
        "note": fields.text(row, "note", longest=1_000),
        "source": fields.text(row, "source", longest=100),
    }


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")
