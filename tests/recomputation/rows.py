"""What one record of a log says was used, how tellings of one request become one, and sums."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

KINDS = ("input", "read", "write", "output", "reasoning")
LARGEST = 10**12


class BadRecordError(ValueError):
    """A record that can't be believed; it counts for nothing."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One request, or with part > 0 what was charged beside it. Counts are inclusive, None: untold.

    key: what two tellings of one request share. at: sorts tellings in time. status: ok, error,
    pending. write_1h: of write, what went into the longer cache.
    """

    key: Any
    part: int = 0
    at: Any = ""
    session: str = ""
    provider: str = ""
    model: str = ""
    status: str = "ok"
    is_benchmark: bool = False
    input: int | None = None
    read: int | None = None
    write: int | None = None
    write_1h: int | None = None
    output: int | None = None
    reasoning: int | None = None
    is_aside: bool = False

    def __post_init__(self) -> None:
        cached = (self.read or 0) + (self.write or 0)
        if self.input is not None and self.read is not None and cached > self.input:
            raise BadRecordError("more was cached than sent")
        if self.output is not None and (self.reasoning or 0) > self.output:
            raise BadRecordError("more was thought than answered")


@dataclass(kw_only=True)
class Sums:
    """Sums over rows; what no row tells adds nothing."""

    requests: int = 0
    errors: int = 0
    kinds: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))

    def add(self, row: Row) -> None:
        if row.part == 0:
            self.requests += row.status == "ok"
            self.errors += row.status == "error"
        for kind in KINDS:
            self.kinds[kind] += getattr(row, kind) or 0

    @property
    def told(self) -> tuple[int, ...]:
        """Requests, errors, then the kinds in their order."""
        return (self.requests, self.errors, *(self.kinds[kind] for kind in KINDS))

    @property
    def ratio(self) -> Fraction | None:
        """Input / output; None where nothing was answered."""
        sent, answered = self.kinds["input"], self.kinds["output"]
        return Fraction(sent, answered) if answered else None


def count(value: Any) -> int | None:
    """A count as logs write it: a whole number or its digits, None for what is not told."""
    if value is None or value in ("", "-"):
        return None
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST:
        raise BadRecordError(f"{value!r} is no count")
    return value


def added(*values: int | None) -> int | None:
    """The sum of what is told; None where nothing is."""
    told = [value for value in values if value is not None]
    return sum(told) if told else None


def merged(rows: Iterable[Row]) -> list[Row]:
    """One row for each request: what was used as the fullest telling says, when as the first."""
    tellings: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        tellings[row.key, row.part].append(row)
    return [_one(same) for same in tellings.values()]


def summed(rows: Iterable[Row]) -> Sums:
    """Sums over all rows."""
    sums = Sums()
    for row in rows:
        sums.add(row)
    return sums


def by_session(rows: Iterable[Row]) -> dict[str, Sums]:
    """Sums of each session."""
    sums: dict[str, Sums] = defaultdict(Sums)
    for row in rows:
        if row.session:
            sums[row.session].add(row)
    return dict(sums)


def _one(tellings: list[Row]) -> Row:
    def fullness(row: Row) -> tuple[bool, bool, int, int]:
        is_told = row.input is not None or row.output is not None
        known = sum(getattr(row, kind) is not None for kind in KINDS)
        return row.status != "pending", is_told, row.output if row.output is not None else -1, known

    used = max(tellings, key=fullness)
    first = min(tellings, key=lambda row: (str(row.at), row.is_aside, not row.session, row.session))
    return replace(used, at=first.at, session=first.session)
