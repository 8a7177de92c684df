"""The contract of a log format: what it declares, what it is given, what it yields.

A format is data plus one pure function, in a file of its own, named in the tuple of
`ingest.formats`. It knows the standard library, accounting.domain and msgspec, nothing of Django.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import msgspec

from accounting.domain.aggregates import Aggregate
from accounting.domain.usage import UsageRecord
from accounting.domain.values import quick
from ingest.formats.shown import shown

#: At most this much of a file is looked at to tell its format.
SAMPLE_BYTES = 64 * 1024
LINE_LIMIT = 1024 * 1024


class Unit(StrEnum):
    """How a file may be cut into source records."""

    JSON = "json"  # one JSON object: a line of JSONL, an element of an array, or the whole body
    CSV = "csv"  # one row, given with the header's names
    SSE = "sse"  # a whole stream of server-sent events or chunk lines; never cut
    DOCUMENT = "document"  # a whole JSON document that holds many records; never cut
    TEXT = "text"  # a whole text of another grammar, such as a scrape of counters; never cut


class Scope(StrEnum):
    """Which records must be read together, in order, with the state carried on."""

    RECORD = "record"
    FILE = "file"
    INPUT = "input"


class Time(StrEnum):
    """Whether the records say when they happened."""

    GIVEN = "given"
    ASSUMED = "assumed"  # from the options or the file's own time; such keys are wide


class Convention(StrEnum):
    """Whether input counts include the cached ones; declared, never guessed from a field's name."""

    INCLUSIVE = "inclusive"
    DISJOINT = "disjoint"


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One source record as it was cut.

    line: 1-based line of the file (for an array element, its 1-based position).
    offset: bytes before it. body: JSON text, a CSV row by column name, or the whole stream.
    path: the file's path inside its input, for formats whose folders mean something.
    is_stream: the body is a whole stream of chunks. refusal: why the cutter could not make a record
    of it (too long, an open quote …).
    """

    line: int
    offset: int
    body: bytes | Mapping[str, str]
    path: str = ""
    is_stream: bool = False
    refusal: "RejectedError | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a person or command adds to an import; used only where the source is silent.

    assumed_time: what stands in for a missing time (--set started_at, else the file's mtime).
    """

    assumed_time: datetime
    provider: str = ""
    model: str = ""
    run: str = ""
    input_tokens: int | None = None
    user_id: str = ""
    counts_as_usage: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """A benchmark run as its source tells of it.

    label: unique among the tool's runs; '' takes the run's name from the options. settings: names
    and values as the tool writes them (request_rate, max_concurrency …).
    """

    label: str = ""
    model: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    started_at: datetime | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A source record that reports usage: one record per priced part, part 0 first.

    warnings: codes of doubts that did not stop it (likely_seconds, inconsistent_total …).
    project: the project that the record itself names, '' when it names none. A benchmark's record
    may tell of a whole run: then it holds all of the run's requests.
    """

    line: int
    records: tuple[UsageRecord, ...]
    warnings: tuple[str, ...] = ()
    project: str = ""
    run: RunInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregated:
    """A source record that tells of many requests together; kept apart from the books' events."""

    line: int
    aggregates: tuple[Aggregate, ...]
    run: RunInfo | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A source record that is well formed and reports no usage."""

    line: int
    code: str = "no_usage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A source record that could not be read.

    value: a number or a name of at most 80 characters, never the line itself: it may hold prompts.
    """

    line: int
    offset: int
    code: str
    reason: str
    field: str = ""
    value: str = ""


Outcome = Counted | Aggregated | Skipped | Rejected


class UnreadableError(Exception):
    """Raised when a whole file cannot be read: code for programs, reason for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class RejectedError(Exception):
    """Raised inside a reader to reject the record in hand; the reader's loop adds its place."""

    def __init__(self, code: str, reason: str, *, field: str = "", value: object = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.field = field
        self.value = shown(value, 80)

    def at(self, item: Item) -> Rejected:
        """This rejection at the item's place."""
        return Rejected(
            line=item.line,
            offset=item.offset,
            code=self.code,
            reason=self.reason,
            field=self.field,
            value=self.value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The head of a file, as detection sees it.

    header: the CSV header's names, empty when the text is no CSV.
    objects: the first JSON objects that were whole (lines, array elements, or the document).
    keys: names of the document's own first keys when it was cut off before its end.
    """

    text: str
    header: tuple[str, ...] = ()
    objects: tuple[Mapping[str, object], ...] = ()
    keys: frozenset[str] = frozenset()
    is_array: bool = False
    path: str = ""


class State(msgspec.Struct):
    """What a reader carries from chunk to chunk; saved with each committed chunk.

    Saved by msgspec.msgpack.encode(state), back by msgspec.msgpack.decode(saved, type=type(state)).
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One log format.

    unit, also: how its files may be cut; most formats have one way, some also a stream or a CSV.
    recognise: the reason why a sample is of this format, '' when it is not.
    read: turns items into outcomes, in order: one for each item, or for each answer of a stream.
    key: the recipe of identity, in words, for people.
    where: where such a file is found or how it is exported; source: how we know.
    is_last_resort: claims only what no other format claims. is_envelope: what it claims is its alone.
    """

    name: str
    title: str
    unit: Unit
    scope: Scope
    convention: Convention
    key: str
    where: str
    source: str
    recognise: Callable[[Sample], str]
    read: Callable[[Iterable[Item], Options, State], Iterator[Outcome]]
    new_state: Callable[[], State] = State
    restamps: bool = False
    time: Time = Time.GIVEN
    purpose: str = "usage"
    also: tuple[Unit, ...] = ()
    extensions: tuple[str, ...] = (".jsonl", ".json")
    is_last_resort: bool = False
    is_envelope: bool = False
