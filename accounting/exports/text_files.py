"""CSV and JSON, in pieces that are made while they are sent."""

import csv
import io
import json
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from accounting.domain.money import plain
from accounting.exports.headings import heading
from accounting.exports.neutral import neutral
from accounting.exports.tables import Cell, Table

#: By which Excel knows UTF-8; without it, Chinese is read in the system's own encoding.
BYTE_ORDER_MARK = "\ufeff"
PIECE_CHARACTERS = 64 * 1024


def csv_pieces(table: Table, language: str = "") -> Iterator[str]:
    """The table as CSV, amounts digit for digit, a few hundred rows at a time.

    Texts are neutralised, numbers stay numbers, the unknown is empty. No mark in front.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([neutral(heading(column, language)) for column in table.columns])
    for row in table.rows:
        writer.writerow([_csv_cell(cell) for cell in row])
        if buffer.tell() >= PIECE_CHARACTERS:
            yield _emptied(buffer)
    yield _emptied(buffer)


def json_pieces(table: Table) -> Iterator[str]:
    """The table as one JSON object; amounts are decimal texts as in REST, the unknown is null.

    Texts stay as they are: no program runs them.
    """
    names = [column.name for column in table.columns]
    buffer = io.StringIO()
    buffer.write(f'{{"table": {json.dumps(table.name)}, "columns": {json.dumps(names)}, "rows": [')
    separator = "\n"
    for row in table.rows:
        cells = dict(zip(names, map(_json_cell, row), strict=True))
        buffer.write(separator + json.dumps(cells, ensure_ascii=False))
        separator = ",\n"
        if buffer.tell() >= PIECE_CHARACTERS:
            yield _emptied(buffer)
    buffer.write("\n]}\n")
    yield _emptied(buffer)


def _emptied(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def _csv_cell(cell: Cell) -> str | int | float:
    match cell:
        case None:
            return ""
        case str():
            return neutral(cell)
        case Decimal():
            return plain(cell)
        case date():  # of which datetime is one
            return cell.isoformat()
        case _:
            return cell


def _json_cell(cell: Cell) -> str | int | float | None:
    match cell:
        case Decimal():
            return plain(cell)
        case date():
            return cell.isoformat()
        case _:
            return cell
