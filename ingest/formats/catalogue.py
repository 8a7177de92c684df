"""What each format is, in words: the page of formats and docs/formats.md both show these values."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
from msgspec import inspect

from ingest.formats import FORMATS
from ingest.formats.base import Convention, Format, Scope, Time, Unit
from ingest.formats.fields import Decoder

SAMPLES = Path(__file__).parents[1] / "samples"
_PACKAGE = "ingest.formats."
_UNITS = {
    Unit.JSON: "JSON: a line, an element of an array or a whole body is one record",
    Unit.CSV: "CSV: a row is one record, columns are found by name",
    Unit.SSE: "a streamed answer: server-sent events or one chunk a line",
    Unit.DOCUMENT: "a JSON document that holds many records",
    Unit.TEXT: "a text that is one record as a whole",
}
_SCOPES = {
    Scope.RECORD: "each record by itself",
    Scope.FILE: "the records of a file in order",
    Scope.INPUT: "all files of an input together",
}
_CONVENTIONS = {
    Convention.INCLUSIVE: "inclusive: input counts contain cached tokens, output counts reasoning",
    Convention.DISJOINT: "disjoint: fresh, read and written input stand apart and are added",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """The names that one kind of record is read by; meaning: what it is, '' where nobody says.

    A name inside another is written with a dot, one inside a list with [], of a mapping with {}.
    """

    meaning: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatPage:
    """One format for people. units, scope, convention, time and purpose are whole phrases.

    samples: paths below SAMPLES.
    """

    name: str
    title: str
    about: str
    where: str
    source: str
    units: tuple[str, ...]
    extensions: tuple[str, ...]
    convention: str
    scope: str
    time: str
    purpose: str
    key: str
    reads: tuple[Read, ...]
    samples: tuple[str, ...]


@cache
def catalogue() -> tuple[FormatPage, ...]:
    """Every format, in the order of their titles."""
    return tuple(sorted(map(_page, FORMATS), key=lambda page: page.title.lower()))


def phrases() -> frozenset[str]:
    """Every text of the pages that is no name of a field or a file: what can be said in another language."""
    pages = catalogue()
    words = {word for page in pages for word in (page.title, *_told(page))}
    return frozenset(
        words | {read.meaning for page in pages for read in page.reads if read.meaning}
    )


def sample_bytes(path: str) -> bytes | None:
    """A golden sample by the path its page gives; None for any other path."""
    known = {each for page in catalogue() for each in page.samples}
    return (SAMPLES / path).read_bytes() if path in known else None


def _page(known: Format) -> FormatPage:
    module = _module_of(known)
    folder = SAMPLES / known.name
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return FormatPage(
        name=known.name,
        title=known.title,
        about=(module.__doc__ or "").partition("\n")[0],
        where=known.where,
        source=known.source,
        units=tuple(_UNITS[unit] for unit in (known.unit, *known.also)),
        extensions=known.extensions,
        convention=_CONVENTIONS[known.convention],
        scope=_SCOPES[known.scope],
        time="given" if known.time is Time.GIVEN else "assumed from the import or the file",
        purpose=known.purpose,
        key=known.key,
        reads=tuple(_reads(module, set())),
        samples=tuple(path.relative_to(SAMPLES).as_posix() for path in files),
    )


def _told(page: FormatPage) -> Iterator[str]:
    yield from (page.about, page.where, page.source, page.convention, page.time, page.purpose)
    yield from (page.key, *page.units)


def _module_of(known: Format) -> ModuleType:
    for name, module in sorted(sys.modules.items()):
        if name.startswith(_PACKAGE) and getattr(module, "FORMAT", None) is known:
            return module
    raise LookupError(f"no module of {_PACKAGE} has {known.name} as its FORMAT")


def _reads(module: ModuleType, seen: set[object]) -> Iterator[Read]:
    """What a module's decoders read, then those of the helpers it takes functions from.

    A module may name the columns of a table itself, in COLUMNS.
    """
    seen.add(module.__name__)
    columns = getattr(module, "COLUMNS", ())
    if columns:
        yield Read(meaning="One row.", names=tuple(columns))
    values = list(vars(module).values())
    for value in values:
        if isinstance(value, Decoder) and value.kind not in seen:
            seen.add(value.kind)
            names = tuple(dict.fromkeys(_names(inspect.type_info(value.kind), "", ())))
            if names:
                yield Read(meaning=_meaning(value.kind), names=names)
    for value in values:
        helper = value.__name__ if isinstance(value, ModuleType) else _home(value)
        if helper.startswith(_PACKAGE) and helper not in seen:
            yield from _reads(sys.modules[helper], seen)


def _home(value: object) -> str:
    """The module that a function or class comes from, '' for plain values."""
    home = getattr(value, "__module__", None)
    return home if isinstance(home, str) and callable(value) else ""


def _meaning(kind: object) -> str:
    is_struct = isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    return (kind.__doc__ or "").partition("\n")[0] if is_struct else ""


def _names(found: Any, before: str, around: tuple[type, ...]) -> Iterator[str]:
    """The dotted names of a type's leaves; around: the structs it stands in, which may repeat."""
    match found:
        case inspect.StructType(cls=cls, fields=fields):
            for field in fields if cls not in around else ():
                name = f"{before}.{field.encode_name}" if before else field.encode_name
                yield from _names(field.type, name, (*around, cls))
        case inspect.UnionType(types=types):
            # The structs among the types are what is read; plain values say the same in short.
            inner = [each for each in types if isinstance(each, _HOLDERS)]
            for each in inner:
                yield from _names(each, before, around)
            if before and not inner:
                yield before
        case inspect.ListType(item_type=item):
            yield from _names(item, f"{before}[]", around)
        case inspect.DictType(value_type=value):
            yield from _names(value, f"{before}{{}}", around)
        case _:
            if before and before not in {"[]", "{}"}:
                yield before


_HOLDERS = (inspect.StructType, inspect.ListType, inspect.DictType)
