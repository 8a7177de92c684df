"""Exchange rates in the European Central Bank's CSV layout: a day a row, what 1 EUR is in each column."""

import csv
import io
from collections.abc import Collection, Iterator
from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from accounting.domain.errors import BadAmountError, BadRateError
from accounting.domain.money import amount
from accounting.domain.periods import FIRST_YEAR
from accounting.services.price_fields import local_midnight
from accounting.services.price_rows import ConversionRow

PIVOT = "EUR"
SOURCE = "ECB"
_DAY_FORMATS = ("%Y-%m-%d", "%d %B %Y")
_NONE = frozenset({"", "N/A"})


def read_ecb(content: bytes, *, zone: ZoneInfo, currencies: Collection[str]) -> list[ConversionRow]:
    """What 1 EUR is in each of the currencies, from each day's local midnight on, oldest first.

    Rates stay as quoted: that of two other currencies follows from both when an amount is converted.
    Days before 2020 are passed over. Raises BadRateError for a file of another layout, for a
    currency the file does not have and for a number that is none.
    """
    try:
        lines = csv.reader(io.StringIO(content.decode("utf-8-sig")), skipinitialspace=True)
    except UnicodeDecodeError as error:
        raise BadRateError(f"the file is not UTF-8: {error.reason}") from error
    header = [name.strip() for name in next(lines, [])]
    if header[:1] != ["Date"]:
        raise BadRateError("no rates in the ECB's layout: expected the columns Date, USD, JPY, …")
    wanted = sorted(set(currencies) - {PIVOT})
    missing = [code for code in wanted if code not in header]
    if missing:
        raise BadRateError(f"the file has no column {missing[0]}")
    places = {code: header.index(code) for code in wanted}
    rows = [row for line in lines for row in _rows(line, places, zone)]
    return sorted(rows, key=lambda row: row.effective_from)


def _rows(line: list[str], places: dict[str, int], zone: ZoneInfo) -> Iterator[ConversionRow]:
    if not any(line):
        return
    day = _day(line[0].strip())
    if day.year < FIRST_YEAR:
        return
    start = local_midnight(day, zone)
    for code, place in places.items():
        written = line[place].strip() if place < len(line) else ""
        if written not in _NONE:
            yield ConversionRow(
                what=PIVOT,
                currency=code,
                price=_rate(written, day),
                effective_from=start,
                source=SOURCE,
            )


def _day(written: str) -> date:
    for layout in _DAY_FORMATS:
        try:
            return datetime.strptime(written, layout).date()  # noqa: DTZ007  # a day has no zone
        except ValueError:
            continue
    raise BadRateError(f"{written[:40]!r} is no day")


def _rate(written: str, day: date) -> Decimal:
    try:
        rate = amount(written)
    except BadAmountError as error:
        raise BadRateError(f"{day}: {error}") from error
    if not rate:
        raise BadRateError(f"{day}: a rate of 0")
    return rate
