"""A usage table as rows of cells, for spreadsheets: numbers stay numbers, texts never become formulas."""

import csv
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TextIO

import xlsxwriter

from accounting.domain.money import plain
from accounting.domain.ratios import written_ratio
from accounting.queries.spend import UsageRow, UsageTable
from accounting.queries.writing import written_bucket

type Cell = str | int | Decimal | None
#: A spreadsheet runs a cell that starts so, whatever white space or control stands before.
_FORMULA = re.compile(r"^[\s\x00-\x1f]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]")
_COUNTS = (
    "requests",
    "errors",
    "input_tokens",
    "uncached_input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)
_RATIOS = ("cache_hit_rate", "input_output_ratio")
_LOSSES = ("unpriced_requests", "unpriced_tokens", "assumed_requests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A header and rows of cells below it; None is an empty cell: unknown."""

    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def usage_sheet(table: UsageTable) -> Sheet:
    """A usage table with one column of cost for each currency, without a row of totals.

    So that the sum of a column is the total, and counts nothing twice. What of a cost corrects
    closed months stands in a column of its own, where there is such a thing.
    """
    currencies = [cost.currency for cost in table.totals.costs]
    corrected = [cost.currency for cost in table.totals.costs if cost.corrections]
    wanted = table.wanted
    names = {"bucket": wanted.bucket, "group": wanted.group, "sub": wanted.sub}
    shown = [name for name, value in names.items() if value]
    header = (
        *("bucket" if name == "bucket" else names[name] for name in shown),
        *_COUNTS,
        *_RATIOS,
        *(f"cost_{currency}" for currency in currencies),
        *(f"corrections_{currency}" for currency in corrected),
        "credits",
        *_LOSSES,
    )
    return Sheet(
        header=header,
        rows=tuple(
            (*(_name(row, name) for name in shown), *figures(row, currencies, corrected))
            for row in table.rows
        ),
    )


def figures(row: UsageRow, currencies: list[str], corrected: list[str]) -> tuple[Cell, ...]:
    """The numbers of one row, in the order of the header."""
    totals = row.totals
    costs = {cost.currency: cost.amount for cost in totals.costs}
    corrections = {cost.currency: cost.corrections for cost in totals.costs}
    ratios = (getattr(totals, name) for name in _RATIOS)
    return (
        *(getattr(totals, name) for name in _COUNTS),
        *(None if value is None else Decimal(written_ratio(value)) for value in ratios),
        *(costs.get(currency) for currency in currencies),
        *(corrections.get(currency) for currency in corrected),
        totals.credits,
        *(getattr(totals, name) for name in _LOSSES),
    )


def neutral(text: str) -> str:
    """The text, with an apostrophe in front where a spreadsheet would run it as a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def write_csv(sheet: Sheet, file: TextIO) -> None:
    """Write a sheet as CSV; amounts digit for digit."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(sheet.header)
    writer.writerows([_text(cell) for cell in row] for row in sheet.rows)


def write_xlsx(sheet: Sheet, path: str) -> None:
    """Write a sheet as XLSX, row by row, so that memory does not grow with it."""
    with xlsxwriter.Workbook(path, {"constant_memory": True}) as book:
        page = book.add_worksheet("usage")
        for column, name in enumerate(sheet.header):
            page.write_string(0, column, neutral(name))
        for line, row in enumerate(sheet.rows, start=1):
            for column, cell in enumerate(row):
                if isinstance(cell, str):
                    page.write_string(line, column, neutral(cell))
                elif cell is not None:
                    page.write_number(line, column, cell)


def _name(row: UsageRow, name: str) -> str:
    if name == "bucket":
        return written_bucket(row.bucket) or ""
    member = row.group if name == "group" else row.sub
    return member.value if member else ""


def _text(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case str():
            return neutral(cell)
        case Decimal():
            return plain(cell)
        case _:
            return str(cell)
