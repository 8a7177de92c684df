"""XLSX, written row by row into a file, so that memory does not grow with the table."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.utility import xl_rowcol_to_cell

from accounting.domain.money import plain
from accounting.exports.headings import heading
from accounting.exports.neutral import neutral
from accounting.exports.tables import AMOUNT, Cell, Table

#: What a sheet of a workbook holds below its header. The library itself cuts texts at 32,767 characters.
MOST_ROWS = 1_048_575
#: The sheet of the amounts that have more digits than a spreadsheet's number.
EXACT = "exact"
_EXACT_HEADER = ("cell", "column", "amount")


class TooManyRowsError(ValueError):
    """A table has more rows than a sheet of a workbook holds."""


def write_workbook(table: Table, path: Path, language: str = "") -> None:
    """Write the table as XLSX. Raises TooManyRowsError.

    Spreadsheets calculate with binary fractions of 16 digits. An amount that is none of them stands
    in its cell rounded to one, so that sums take it in, and to its last digit, as text, in the sheet
    'exact', beside the name of its cell.
    """
    with xlsxwriter.Workbook(str(path), {"constant_memory": True}) as book:
        page = _Page(book, table, language)
        for line, row in enumerate(table.rows, start=1):
            if line > MOST_ROWS:
                raise TooManyRowsError(f"a workbook has at most {MOST_ROWS:,} rows")
            page.write(line, row)


class _Page:
    """The sheet that is written, and the sheet of its exact amounts once there is one."""

    def __init__(self, book: Any, table: Table, language: str) -> None:
        self._book = book
        self._columns = table.columns
        self._sheet = book.add_worksheet(table.name)
        self._exact: Any = None
        self._exact_line = 0
        self._amount = book.add_format({"num_format": "0.00##########"})
        self._day = book.add_format({"num_format": "yyyy-mm-dd", "align": "left"})
        self._bold = book.add_format({"bold": True})
        self._sheet.freeze_panes(1, 0)
        for place, column in enumerate(table.columns):
            self._sheet.write_string(0, place, neutral(heading(column, language)), self._bold)

    def write(self, line: int, row: tuple[Cell, ...]) -> None:
        """Write one row."""
        for place, cell in enumerate(row):
            match cell:
                case None:
                    pass
                case str():
                    self._sheet.write_string(line, place, neutral(cell))
                case datetime():  # times have offsets, which cells have not
                    self._sheet.write_string(line, place, cell.isoformat())
                case date():
                    self._sheet.write_datetime(line, place, cell, self._day)
                case _:
                    self._write_number(line, place, cell)

    def _write_number(self, line: int, place: int, number: Decimal | float) -> None:
        is_amount = self._columns[place].kind == AMOUNT
        # A Decimal is written digit for digit, up to the 16th.
        exact = number if isinstance(number, float) else Decimal(number)
        self._sheet.write_number(line, place, exact, self._amount if is_amount else None)
        if isinstance(exact, Decimal) and not _is_held(exact):
            self._write_exact(line, place, exact)

    def _write_exact(self, line: int, place: int, number: Decimal) -> None:
        if self._exact is None:
            self._exact = self._book.add_worksheet(EXACT)
            self._exact.write_row(0, 0, _EXACT_HEADER, self._bold)
        self._exact_line += 1
        if self._exact_line > MOST_ROWS:
            raise TooManyRowsError(f"a workbook has at most {MOST_ROWS:,} exact amounts")
        cells = (xl_rowcol_to_cell(line, place), self._columns[place].name, plain(number))
        for column, text in enumerate(cells):
            self._exact.write_string(self._exact_line, column, text)


def _is_held(number: Decimal) -> bool:
    """Whether a workbook, and whoever reads its numbers as binary fractions, has it to the last digit."""
    return Decimal(f"{number:.16G}") == number == Decimal(repr(float(number)))
