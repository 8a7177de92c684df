"""A table as a file in one of the formats, in pieces: of the table itself, or of a file made first."""

import tempfile
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from accounting.exports.parquet_files import write_parquet
from accounting.exports.tables import Table
from accounting.exports.text_files import BYTE_ORDER_MARK, csv_pieces, json_pieces
from accounting.exports.workbooks import write_workbook
from accounting.queries.snapshots import snapshot

PIECE_BYTES = 64 * 1024
#: Files are made whole before any of them goes out: at most so many at once in a process.
MOST_FILES = 3
MAKING = threading.BoundedSemaphore(MOST_FILES)


class TooManyFilesError(Exception):
    """As many files are being made as may at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """media_type: of the file. pieces: of a table, to be made in a language of headings."""

    media_type: str
    pieces: Callable[[Callable[[], Table], str], Iterator[bytes]]


def _csv(made: Callable[[], Table], language: str) -> Iterator[bytes]:
    mark = BYTE_ORDER_MARK
    with snapshot():
        for piece in csv_pieces(made(), language):
            yield f"{mark}{piece}".encode()
            mark = ""


def _json(made: Callable[[], Table], _language: str) -> Iterator[bytes]:
    with snapshot():
        for piece in json_pieces(made()):
            yield piece.encode()


def _xlsx(made: Callable[[], Table], language: str) -> Iterator[bytes]:
    return _of_file(made, lambda table, path: write_workbook(table, path, language))


def _parquet(made: Callable[[], Table], _language: str) -> Iterator[bytes]:
    return _of_file(made, write_parquet)


def _of_file(made: Callable[[], Table], write: Callable[[Table, Path], None]) -> Iterator[bytes]:
    with tempfile.TemporaryDirectory(prefix="tallybook-export-") as folder:
        path = Path(folder) / "table"
        with _turn(), snapshot():
            write(made(), path)
        with path.open("rb") as file:
            while piece := file.read(PIECE_BYTES):
                yield piece


@contextmanager
def _turn() -> Iterator[None]:
    """One of the files that are made. Raises TooManyFilesError at once where there are too many."""
    if not MAKING.acquire(blocking=False):
        raise TooManyFilesError("too many files are being made at once; ask again")
    try:
        yield
    finally:
        MAKING.release()


FORMATS: Mapping[str, Format] = {
    "csv": Format(media_type="text/csv; charset=utf-8", pieces=_csv),
    "json": Format(media_type="application/json", pieces=_json),
    "xlsx": Format(
        media_type="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        pieces=_xlsx,
    ),
    "parquet": Format(media_type="application/vnd.apache.parquet", pieces=_parquet),
}


class Begun:
    """Pieces of which the first is made: what refuses the question has done so before any goes out."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._first: bytes | None = next(pieces, None)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        if self._first is None:
            return next(self._pieces)
        first, self._first = self._first, None
        return first

    def close(self) -> None:
        """Leave the books and remove files, whether or not all pieces were taken."""
        if isinstance(self._pieces, Generator):
            self._pieces.close()
