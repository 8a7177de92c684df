"""Files of exports read back as rows of texts and numbers, as whoever gets them does."""

import csv
import json
from decimal import Decimal
from io import BytesIO, StringIO

import openpyxl
import pyarrow.parquet


def csv_rows(content):
    """Rows by their header; cells are texts."""
    return list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline="")))


def workbook_rows(content):
    """Rows by their header, numbers to the last digit: exact amounts stand in a sheet of their own."""
    book = openpyxl.load_workbook(BytesIO(content))
    exact = {}
    if "exact" in book.sheetnames:
        exact = {cell: amount for cell, _, amount in book["exact"].iter_rows(2, values_only=True)}
    header, *rows = book.worksheets[0].iter_rows()
    names = [cell.value for cell in header]
    return [
        {
            name: exact.get(cell.coordinate, cell.value)
            for name, cell in zip(names, row, strict=True)
        }
        for row in rows
    ]


def json_rows(content):
    return json.loads(content)["rows"]


def parquet_rows(content):
    return pyarrow.parquet.read_table(BytesIO(content)).to_pylist()


READERS = {
    "csv": csv_rows,
    "xlsx": workbook_rows,
    "json": json_rows,
    "parquet": parquet_rows,
}


def summed(rows, *names):
    """The sum of each column, without what is unknown."""
    return {
        name: sum(
            (Decimal(str(row[name])) for row in rows if row[name] not in {None, ""}), Decimal()
        )
        for name in names
    }
