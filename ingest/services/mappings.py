"""Mappings that an organization has saved, and what a sample of a table shows of its columns."""

import codecs
from collections.abc import Mapping as Values
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import Any

import msgspec
from django.db import transaction
from django.utils import timezone

from accounting.models import Mapping
from ingest.formats.base import UnreadableError
from ingest.formats.mapping import ColumnMapping, mapping_from
from ingest.formats.nesting import is_too_deep
from ingest.formats.rows import fields_of, header_names, rows
from ingest.services.sheets import ZIP_MAGIC, sheet_as_csv
from ingest.services.tables import Reading

ROWS_SHOWN = 3
_CELL_SHOWN = 60
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's name and its first cells, to be shown once and kept nowhere."""

    name: str
    cells: tuple[str, ...]


def sample_columns(sample: bytes, encoding: str = "", sheet: str = "") -> tuple[Column, ...]:
    """The columns of a table, or the keys of its JSON objects, from its first bytes.

    A workbook must be whole. Raises UnreadableError where it is neither.
    """
    reading = Reading(encoding=encoding)
    if sample.startswith(ZIP_MAGIC):
        head = sheet_as_csv(BytesIO(sample), sheet).read(len(sample))
    else:
        head = reading.plain(BytesIO(sample)).head
    text = head.removeprefix(_BOM).lstrip()
    if not text:
        raise UnreadableError("empty_file", "nothing in it")
    try:
        # The sample may end within a character.
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError as error:
        reason = f"not UTF-8 at byte {error.start}; if it is GB18030, choose that encoding"
        raise UnreadableError("encoding_not_utf8", reason) from error
    found = _json_rows(text) if text[:1] in {b"{", b"["} else _csv_rows(text)
    if len(found.names) < 2:
        raise UnreadableError("no_columns", "no table: it has fewer than two columns")
    return tuple(
        Column(name=name, cells=tuple(row.get(name, "")[:_CELL_SHOWN] for row in found.rows))
        for name in found.names
    )


def save_mapping(*, organization_id: int, definition: Values[str, Any]) -> ColumnMapping:
    """Keep a mapping under its name, in place of one that had it.

    Imports keep the definition they were read by. Raises BadMappingError for one that leaves
    something open.
    """
    mapping = mapping_from(definition)
    with transaction.atomic():
        Mapping.objects.update_or_create(
            organization_id=organization_id,
            name=mapping.name[:100],
            defaults={"definition": dict(definition), "changed_at": timezone.now()},
        )
    return mapping


def saved_mapping(organization_id: int, name: str) -> ColumnMapping | None:
    """The mapping of a name, None where there is none."""
    row = Mapping.objects.of(organization_id).filter(name=name).first()
    return mapping_from({**row.definition, "name": name}) if row else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    names: tuple[str, ...]
    rows: tuple[dict[str, str], ...]


def _csv_rows(text: bytes) -> _Rows:
    header, _end, rest = text.partition(b"\n")
    names = tuple(name for name in header_names(header) if name)
    lines = ((line + b"\n", len(line) + 1) for line in rest.split(b"\n") if line.strip())
    first = islice(rows(lines, first_line=2, offset=0), ROWS_SHOWN)
    found = []
    for row in first:
        try:
            found.append(fields_of(row, header_names(header)))
        except ValueError:
            continue
    return _Rows(names=names, rows=tuple(found))


def _json_rows(text: bytes) -> _Rows:
    lines = text.lstrip(b"[ \r\n").split(b"\n")[: ROWS_SHOWN + 1]
    found: list[dict[str, str]] = []
    for line in lines:
        if is_too_deep(line):
            continue
        try:
            value = msgspec.json.decode(line.strip().rstrip(b","))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(value, dict):
            found.append({name: _plain(cell) for name, cell in value.items()})
    names = dict.fromkeys(name for row in found for name in row)
    return _Rows(names=tuple(names), rows=tuple(found[:ROWS_SHOWN]))


def _plain(cell: object) -> str:
    return cell if isinstance(cell, str) else msgspec.json.encode(cell).decode()
