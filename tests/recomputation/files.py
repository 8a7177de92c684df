"""Raw files as records: lines, arrays, tables, event streams."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

type Record = dict[str, Any]


def decoded(text: str) -> Any:
    """The value of JSON text; None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def records(path: Path) -> Iterator[Record]:
    """Every JSON object of a file: of its lines, of its one array, or of a page's rows."""
    text = path.read_text("utf-8-sig")
    whole = decoded(text)
    if whole is None:
        found = [decoded(line) for line in text.splitlines()]
    else:
        found = whole if isinstance(whole, list) else [whole]
    yield from (each for each in found if isinstance(each, dict))


def table(path: Path) -> Iterator[dict[str, str]]:
    """Every row of a CSV file that has as many cells as its header."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if None not in row and None not in row.values():
                yield row


def events(path: Path) -> Iterator[Record]:
    """Every JSON object of an event stream's data lines, or of JSON lines."""
    for line in path.read_text("utf-8-sig").splitlines():
        found = decoded(line.removeprefix("data:"))
        if isinstance(found, dict):
            yield found


def inner(value: Any) -> Record:
    """An object that may be written as JSON text; {} for anything else."""
    found = decoded(value) if isinstance(value, str) else value
    return found if isinstance(found, dict) else {}


def at(record: Any, *names: str) -> Any:
    """What lies at the end of a path of names; None where it breaks off."""
    for name in names:
        record = record.get(name) if isinstance(record, dict) else None
    return record
