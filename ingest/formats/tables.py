"""Formats whose records are rows of a table: their names are data, and one function reads a row."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ingest.formats.base import (
    Convention,
    Format,
    Item,
    Options,
    Outcome,
    Sample,
    Scope,
    State,
    Unit,
)
from ingest.formats.fields import outcomes
from ingest.formats.pages import row_items, rows_seen

Recogniser = Callable[[Sample], str]
Reader = Callable[[Iterable[Item], Options, State], Iterator[Outcome]]
_EXTENSIONS = {Unit.JSON: (".jsonl", ".json"), Unit.CSV: (".csv",)}


def row_format(  # noqa: PLR0913  one argument for each thing a format declares
    *,
    name: str,
    title: str,
    row: Callable[[Options, Item], Outcome],
    convention: Convention,
    key: str,
    where: str,
    source: str,
    columns: tuple[set[str], ...] = (),
    recognise: Recogniser | None = None,
    pages: tuple[str, ...] = (),
    units: tuple[Unit, ...] = (Unit.JSON,),
    purpose: str = "usage",
) -> Format:
    """A format that reads each row by itself.

    row: what one row comes to. columns: names that only this table has together; any of the sets
    will do. recognise: in their place where names alone do not tell. pages: where rows stand in the
    answers of its API. units: how its files may be cut. purpose: usage or benchmark.
    """
    return Format(
        name=name,
        title=title,
        unit=units[0],
        also=units[1:],
        scope=Scope.RECORD,
        convention=convention,
        key=key,
        where=where,
        source=source,
        recognise=recognise or recognised_by(*columns, pages=pages),
        read=partial(_read, row, pages),
        purpose=purpose,
        extensions=tuple(ending for unit in units for ending in _EXTENSIONS[unit]),
    )


def recognised_by(*columns: set[str], pages: tuple[str, ...] = ()) -> Recogniser:
    """Recognises records by names that only they have together; any of the sets will do."""
    return partial(_recognised, columns, pages)


def _recognised(columns: tuple[set[str], ...], pages: tuple[str, ...], sample: Sample) -> str:
    # Keys as they are: sets of them for each of many formats would be most of a look at a push.
    rows = [set(sample.header), *(each.keys() for each in rows_seen(sample, *pages))]
    # Of a single row that was cut off, only the first names are known.
    rows.append(set(sample.keys))
    for wanted in columns:
        if any(row >= wanted for row in rows):
            *names, last = sorted(wanted)
            return f"has {', '.join(names)} and {last}"
    return ""


def _read(
    row: Callable[[Options, Item], Outcome],
    pages: tuple[str, ...],
    items: Iterable[Item],
    options: Options,
    _state: State,
) -> Iterator[Outcome]:
    """One outcome for each row."""
    return outcomes(row_items(items, *pages) if pages else items, partial(row, options))
