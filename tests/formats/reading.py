"""What the tests of formats share: a file of bytes as outcomes, and outcomes folded into books."""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from accounting.domain.merging import merge
from accounting.domain.naming import dedupe_key
from accounting.domain.usage import UsageRecord
from ingest.formats import by_name
from ingest.formats.base import SAMPLE_BYTES, Counted, Options, Outcome, Rejected, Skipped, State
from ingest.formats.catalogue import SAMPLES
from ingest.formats.cutting import CUT_BYTES, Layout, cut, items_of, opened
from ingest.formats.detection import Detection, detect

MIDNIGHT = datetime(2026, 4, 7, tzinfo=UTC)
OPTIONS = Options(assumed_time=MIDNIGHT)


def sample(name: str) -> bytes:
    """The bytes of one golden sample."""
    return (SAMPLES / name).read_bytes()


def told(name: str, body: bytes, *, options: Options = OPTIONS, **how) -> list[Outcome]:
    """What a format makes of a file; how: layout, size of the cuts, state, path."""
    layout = how.get("layout", Layout.JSONL)
    known = by_name(name)
    state: State = how.get("state") or known.new_state()
    found = []
    for piece in cut(opened(io.BytesIO(body)), layout, how.get("size", CUT_BYTES)):
        found += known.read(items_of(piece, layout, how.get("path", "")), options, state)
    return found


def detected(body: bytes, path: str = "") -> Detection:
    """What the detection says of a file."""
    return detect(opened(io.BytesIO(body)).read(SAMPLE_BYTES), path)


def read_sample(name: str, *, options: Options = OPTIONS) -> list[Outcome]:
    """A golden sample, its format and layout detected."""
    found = detected(sample(name), name)
    return told(found.format.name, sample(name), options=options, layout=found.layout)


@dataclass(frozen=True)
class Books:
    """Outcomes, each key merged once, as the ledger would keep them."""

    events: dict[bytes, UsageRecord]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> "Books":
        events: dict[bytes, UsageRecord] = {}
        for outcome in outcomes:
            for record in outcome.records if isinstance(outcome, Counted) else ():
                key = dedupe_key(1, record.identity)
                events[key] = merge(events[key], record) if key in events else record
        return cls(events)

    @property
    def requests(self) -> int:
        return sum(record.is_request for record in self.events.values())

    @property
    def errors(self) -> int:
        return sum(r.identity.part == 0 and r.use.status == "error" for r in self.events.values())

    def total(self, name: str) -> int | None:
        """The sum of one kind of count over all parts; None when nobody reported it."""
        counts = [getattr(record.use.counts, name) for record in self.events.values()]
        known = [n for n in counts if n is not None]
        return sum(known) if known else None

    def one(self, response_id: str, part: int = 0) -> UsageRecord:
        """The only event with this response id and part."""
        (found,) = (
            record
            for record in self.events.values()
            if record.identity.response_id == response_id and record.identity.part == part
        )
        return found


def totals(books: Books) -> tuple[int, int | None, int | None, int | None, int | None, int | None]:
    """Requests, input, cache read, cache write, output, reasoning."""
    return (
        books.requests,
        books.total("input_tokens"),
        books.total("cache_read_input_tokens"),
        books.total("cache_write_input_tokens"),
        books.total("output_tokens"),
        books.total("reasoning_output_tokens"),
    )


def refused(outcomes: Iterable[Outcome]) -> list[tuple[int, str]]:
    """Line and code of each rejected record."""
    return [(o.line, o.code) for o in outcomes if isinstance(o, Rejected)]


def skipped(outcomes: Iterable[Outcome]) -> list[int]:
    """The lines that report no usage."""
    return [o.line for o in outcomes if isinstance(o, Skipped)]
