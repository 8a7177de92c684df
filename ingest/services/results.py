"""What became of an input, as `ingest --json`, a push that waits, and the pages show it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from accounting.domain.aggregates import AggregateTotals
from accounting.domain.changes import Change
from accounting.models import Import, Rejection
from accounting.models.imports import LINE_COUNTERS
from ingest.formats.codes import WARNINGS

REJECTIONS_SHOWN = 20
#: Worst last: the state of several inputs together is the worst of theirs.
_STATES = ("unchanged", "done", "refused", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """A doubt about records that were counted. places: path and line of the first of them."""

    code: str
    lines: int
    places: tuple[tuple[str, int], ...] = ()

    @property
    def reason(self) -> str:
        """What is odd, and what to do about it."""
        return WARNINGS.get(self.code, self.code)

    def as_json(self) -> dict[str, Any]:
        """The object in the list of warnings."""
        places = [{"path": path, "line": line} for path, line in self.places]
        return {"code": self.code, "lines": self.lines, "reason": self.reason, "places": places}


@dataclass(frozen=True, slots=True, kw_only=True)
class InputResult:
    """The outcome of one input, or of several.

    state: done, unchanged (all of it was known), refused (the whole input), failed; of a push also
    the states of an import that is still on its way. unread_files: files inside a folder that could
    not be read. aggregate: what it changed among reports kept for comparison, None where it holds none.
    """

    path: str
    format: str | None
    state: str
    lines: int
    recorded: int
    updated: int
    duplicates: int
    conflicts: int
    skipped: int
    rejected: int
    change: Change
    rejections: tuple[dict[str, Any], ...]
    unread_files: int = 0
    warnings: tuple[Warned, ...] = ()
    aggregate: AggregateTotals | None = None

    @property
    def is_bad(self) -> bool:
        """Whether the whole input was refused or broke down."""
        return self.state in {"refused", "failed"}

    def as_json(self) -> dict[str, Any]:
        """The object that `ingest --json` prints."""
        return {
            "path": self.path,
            "format": self.format,
            "state": self.state,
            **{name: getattr(self, name) for name in LINE_COUNTERS},
            **self.change.as_json(),
            "rejections": list(self.rejections),
            **({"warnings": [one.as_json() for one in self.warnings]} if self.warnings else {}),
            **({} if self.aggregate is None else {"aggregate": self.aggregate.as_json()}),
        }


def result_of(source: Import, path: str = "") -> InputResult:
    """An import's result. path: the input as its giver wrote it, else the import's name."""
    path = path or source.name or source.door
    return InputResult(
        path=path,
        format=source.format or None,
        state=source.result_state,
        **{name: getattr(source, name) for name in LINE_COUNTERS},
        change=Change.from_json(source.change),
        rejections=tuple(_shown(one, path) for one in _first_rejections(source)),
        unread_files=0 if source.state == "failed" else source.rejections.filter(line=None).count(),
        warnings=tuple(_warned(source, path)),
        aggregate=AggregateTotals.from_json(source.options["aggregate"])
        if "aggregate" in source.options
        else None,
    )


def total_of(results: Sequence[InputResult]) -> InputResult:
    """All results together, with the path TOTAL."""
    formats = {result.format for result in results if result.format}
    reports = [result.aggregate for result in results if result.aggregate is not None]
    return InputResult(
        path="TOTAL",
        format=formats.pop() if len(formats) == 1 else None,
        state=max((result.state for result in results), key=_rank, default="done"),
        **{name: sum(getattr(result, name) for result in results) for name in LINE_COUNTERS},
        change=sum((result.change for result in results), Change()),
        rejections=tuple(one for result in results for one in result.rejections)[:REJECTIONS_SHOWN],
        unread_files=sum(result.unread_files for result in results),
        warnings=tuple(_summed(one for result in results for one in result.warnings)),
        aggregate=sum(reports, AggregateTotals()) if reports else None,
    )


def _first_rejections(source: Import) -> Iterable[Rejection]:
    return source.rejections.order_by("path", "line")[:REJECTIONS_SHOWN]


def _warned(source: Import, path: str) -> Iterator[Warned]:
    places = source.options.get("warned_lines", {})
    for code, lines in sorted(source.options.get("warnings", {}).items()):
        found = tuple((_inside(path, inner), line) for inner, line in places.get(code, ()))
        yield Warned(code=code, lines=lines, places=found)


def _inside(path: str, inner: str) -> str:
    return f"{path.rstrip('/')}/{inner}" if inner else path


def _shown(one: Rejection, path: str) -> dict[str, Any]:
    return {
        "path": _inside(path, one.path),
        "line": one.line,
        "code": one.code,
        "reason": one.reason,
    }


def _rank(state: str) -> int:
    return _STATES.index(state) if state in _STATES else 0


def _summed(many: Iterable[Warned]) -> Iterator[Warned]:
    """One of each code."""
    found: dict[str, Warned] = {}
    for one in many:
        before = found.get(one.code, Warned(code=one.code, lines=0))
        places = (*before.places, *one.places)[:REJECTIONS_SHOWN]
        found[one.code] = Warned(code=one.code, lines=before.lines + one.lines, places=places)
    yield from found.values()
