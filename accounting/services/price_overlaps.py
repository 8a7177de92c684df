"""Rows of one file that would be in force at the same time: refused, since nobody knows which is meant."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from accounting.domain.errors import BadRateError
from accounting.services.timelines import Timed


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed[R: Timed]:
    """A row and its place in the file: `row 3`, `rates[2]`. group: rows of others do not meet it."""

    place: str
    group: object
    row: R


def refuse_overlaps(placed: Iterable[Placed[Timed]]) -> None:
    """BadRateError naming both rows where one's own end lies beyond the start of a later one.

    A row without an end lasts until the next one begins, and overlaps nothing. The same row twice
    is one row.
    """
    by_key: dict[object, list[Placed[Timed]]] = {}
    for one in placed:
        by_key.setdefault((one.group, type(one.row), one.row.key), []).append(one)
    for rows in by_key.values():
        rows.sort(key=lambda one: one.row.effective_from)
        for earlier, later in pairwise(_distinct(rows)):
            _refuse(earlier, later)


def _distinct(rows: list[Placed[Timed]]) -> list[Placed[Timed]]:
    kept: dict[object, Placed[Timed]] = {}
    for one in rows:
        row = one.row
        kept.setdefault((row.effective_from, row.effective_to, row.value), one)
    return list(kept.values())


def _refuse(earlier: Placed[Timed], later: Placed[Timed]) -> None:
    start, end = later.row.effective_from, earlier.row.effective_to
    both = f"{earlier.place} and {later.place}: {earlier.row.label}"
    if earlier.row.effective_from == start:
        raise BadRateError(f"{both} is given two values at once")
    if end is not None and end > start:
        raise BadRateError(
            f"{both} lasts to {end.isoformat()}, but another begins on {start.isoformat()}"
        )
