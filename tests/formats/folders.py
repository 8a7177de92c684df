"""Reads a sample's folder as the import does: file by file, each with its state and its path."""

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ingest.formats.base import SAMPLE_BYTES, Outcome
from ingest.formats.cutting import CUT_BYTES, cut, items_of, opened
from ingest.formats.detection import detect
from tests.formats.reading import OPTIONS, SAMPLES

Order = Callable[[list[Path]], Iterable[Path]]


def read_folder(name: str, order: Order = sorted, size: int = CUT_BYTES) -> Iterator[Outcome]:
    """The outcomes of all files below a sample's folder. order: in which they are read."""
    root = SAMPLES / name
    for path in order([each for each in root.rglob("*") if each.is_file()]):
        yield from read_path(path, inside=path.relative_to(root).as_posix(), size=size)


def read_path(path: Path, inside: str = "", size: int = CUT_BYTES) -> Iterator[Outcome]:
    """The outcomes of one file; inside: its path inside the input."""
    body = path.read_bytes()
    found = detect(opened(io.BytesIO(body)).read(SAMPLE_BYTES), str(path))
    state = found.format.new_state()
    for piece in cut(opened(io.BytesIO(body)), found.layout, size):
        items = items_of(piece, found.layout, inside or path.name)
        yield from found.format.read(items, OPTIONS, state)
