"""Rows that follow each other in time: how a new one takes its place among those that stand."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from accounting.domain.errors import BadRateError


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """Something in force from one moment to another, exclusive. None: until something follows."""

    effective_from: datetime
    effective_to: datetime | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What two rows share that must not be in force at the same time."""
        raise NotImplementedError

    @property
    def value(self) -> tuple[object, ...]:
        """What the row says while it is in force."""
        raise NotImplementedError

    @property
    def label(self) -> str:
        """The row as a person names it in a message."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """How many rows a change added, ended, superseded, and found as they were."""

    added: int = 0
    closed: int = 0
    superseded: int = 0
    unchanged: int = 0

    @property
    def touched(self) -> int:
        """How many rows are not as they were."""
        return self.added + self.closed + self.superseded

    def __add__(self, other: "Changed") -> "Changed":
        return Changed(
            added=self.added + other.added,
            closed=self.closed + other.closed,
            superseded=self.superseded + other.superseded,
            unchanged=self.unchanged + other.unchanged,
        )


class Timeline[R: Timed]:
    """The rows of one key, and what a change does to them.

    Nothing is overwritten: a change closes the row that was open and adds its own; a row that is
    corrected, or shortened although it had an end, is superseded.
    added, closing, superseding: what is to be written. Ids are those of rows that stand.
    """

    def __init__(self, standing: Iterable[tuple[int, R]]) -> None:
        """standing: the rows in force with their ids, in any order."""
        self.added: list[R] = []
        self.closing: dict[int, datetime] = {}
        self.superseding: list[int] = []
        self._standing = dict(standing)

    def place(self, row: R) -> bool:
        """Put a row in its place; False where it stands there already.

        Rows must come in the order of their starts. A row without an end lasts until the next one
        begins. Raises BadRateError for a row whose own end lies beyond the start of a later one,
        and for one that is given twice with different values.
        """
        if any(_goes_on(other, row) for other in (*self._standing.values(), *self.added)):
            return False
        row = self._ended(row)
        for other in self.added:
            if other.effective_from == row.effective_from:
                if (other.value, other.effective_to) == (row.value, row.effective_to):
                    return False
                raise BadRateError(f"{row.label} is given two values at once")
        for pk, other in list(self._standing.items()):
            if other.effective_from == row.effective_from:
                if (other.value, other.effective_to) == (row.value, row.effective_to):
                    return False
                self._supersede(pk)
            elif _reaches(other, row):
                self._shorten(pk, other, row.effective_from)
        self.added = [
            replace(other, effective_to=row.effective_from) if _reaches(other, row) else other
            for other in self.added
        ]
        self.added.append(row)
        return True

    def _ended(self, row: R) -> R:
        later = [
            other.effective_from
            for other in (*self._standing.values(), *self.added)
            if other.effective_from > row.effective_from
        ]
        following = min(later, default=None)
        if row.effective_to is None:
            return replace(row, effective_to=following)
        if following is not None and row.effective_to > following:
            raise BadRateError(f"{row.label} overlaps the one from {following.isoformat()}")
        return row

    def _shorten(self, pk: int, row: R, end: datetime) -> None:
        if row.effective_to is None:
            self.closing[pk] = end
            self._standing[pk] = replace(row, effective_to=end)
        else:
            self._supersede(pk)
            self.added.append(replace(row, effective_to=end))

    def _supersede(self, pk: int) -> None:
        self.superseding.append(pk)
        self.closing.pop(pk, None)
        del self._standing[pk]


def _goes_on(open_row: Timed, row: Timed) -> bool:
    """Whether a row says from a later moment on what the open one says already."""
    return (
        open_row.effective_to is None
        and row.effective_to is None
        and open_row.effective_from < row.effective_from
        and open_row.value == row.value
    )


def _reaches(row: Timed, later: Timed) -> bool:
    """Whether a row that began before is still in force when the later one begins."""
    return row.effective_from < later.effective_from and (
        row.effective_to is None or row.effective_to > later.effective_from
    )
