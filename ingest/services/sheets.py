"""Spreadsheets as the CSV they would be, row by row, so that one reader reads tables of both kinds."""

import csv
import zlib
from collections.abc import Iterator
from datetime import date, datetime
from io import StringIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from ingest.formats.base import UnreadableError
from ingest.formats.compression import Readable
from ingest.formats.shown import counted

ZIP_MAGIC = b"PK\x03\x04"
_ENTRIES, _UNPACKED_LIMIT = 1_000, 1024**3
_IN_MEMORY = 16 * 1024**2
_BROKEN = (
    BadZipFile, InvalidFileException, ParseError, KeyError, ValueError, TypeError, OSError, zlib.error,
)  # fmt: skip
_ONE_LINE = str.maketrans("\r\n", "  ")


def sheet_as_csv(stream: Readable, sheet: str = "") -> Readable:
    """The rows of a workbook's sheet as CSV; a row's number is its line.

    sheet: its name; may be left out where there is only one. Values are those the workbook holds,
    formulas are not computed. Raises UnreadableError: bad_xlsx, decompressed_too_large, unknown_sheet.
    """
    kept: IO[bytes] = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  closed with its lines
    try:
        while piece := stream.read(1024 * 1024):
            kept.write(piece)
        return _Lines(_lines(kept, _opened_sheet(kept, sheet)))
    except _BROKEN as error:
        kept.close()
        raise UnreadableError("bad_xlsx", "it is no workbook that can be read") from error
    except BaseException:
        kept.close()
        raise


def _opened_sheet(kept: IO[bytes], sheet: str) -> Any:
    _check(kept)
    book = load_workbook(kept, read_only=True, data_only=True)
    names = book.sheetnames
    if not sheet and len(names) != 1:
        raise UnreadableError(
            "unknown_sheet", f"which sheet? there are {counted(names, 'sheet', 'sheets')}"
        )
    if sheet and sheet not in names:
        reason = f"no sheet is named {sheet[:80]!r}; there are {counted(names, 'sheet', 'sheets')}"
        raise UnreadableError("unknown_sheet", reason)
    return book[sheet or names[0]]


def _check(kept: IO[bytes]) -> None:
    kept.seek(0)
    with ZipFile(kept) as packed:
        entries = packed.infolist()
    if len(entries) > _ENTRIES or sum(entry.file_size for entry in entries) > _UNPACKED_LIMIT:
        reason = f"more than {_ENTRIES:,} parts or {_UNPACKED_LIMIT:,} bytes inside it"
        raise UnreadableError("decompressed_too_large", reason)
    kept.seek(0)


def _lines(kept: IO[bytes], sheet: Any) -> Iterator[bytes]:
    width = 0
    with kept:
        for row in sheet.iter_rows(values_only=True):
            cells = [_text(cell) for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if not cells:
                yield b"\n"
                continue
            width = width or len(cells)
            cells += [""] * (width - len(cells))
            line = StringIO()
            csv.writer(line, lineterminator="\n").writerow(cells)
            yield line.getvalue().encode("utf-8", "replace")


def _text(cell: object) -> str:
    """A cell as text: dates in ISO 8601, whole floats as whole numbers."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime | date):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).translate(_ONE_LINE)


class _Lines:
    """A stream of lines that come one by one."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines
        self._held = bytearray()

    def read(self, size: int, /) -> bytes:
        """At most size bytes; b'' at the end."""
        try:
            while len(self._held) < size:
                self._held += next(self._lines)
        except StopIteration:
            pass
        except _BROKEN as error:
            raise UnreadableError("bad_xlsx", "its rows cannot be read") from error
        piece = bytes(self._held[:size])
        del self._held[:size]
        return piece
