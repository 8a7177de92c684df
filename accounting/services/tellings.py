"""What posting is given, and what it says became of that."""

from dataclasses import dataclass, field

from accounting.domain.changes import Change
from accounting.domain.usage import UsageRecord
from accounting.domain.values import quick


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One source record: the request parts it tells of, the one that decides its outcome first."""

    line: int
    records: tuple[UsageRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A telling that cannot stand in the books: the caller rejects its line."""

    line: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """What became of a batch: every telling has one of the four outcomes, or was refused."""

    recorded: int = 0
    updated: int = 0
    duplicates: int = 0
    conflicts: int = 0
    change: Change = field(default_factory=Change)
    refused: tuple[Refusal, ...] = ()
