"""What must hold of any bytes: a reader counts, sums up, skips or rejects, and raises nothing else."""

from accounting.domain.naming import dedupe_key
from accounting.domain.tokens import checked
from accounting.domain.usage import content_digest
from ingest.formats import FORMATS, by_name
from ingest.formats.base import (
    SAMPLE_BYTES,
    Counted,
    Format,
    Outcome,
    Rejected,
    Unit,
    UnreadableError,
)
from ingest.formats.codes import REFUSALS, REJECTIONS
from ingest.formats.cutting import Layout
from ingest.formats.detection import detect
from tests.formats.reading import SAMPLES, told

_LAYOUTS = {
    Unit.JSON: (Layout.JSONL, Layout.ARRAY, Layout.DOCUMENT),
    Unit.CSV: (Layout.CSV,),
    Unit.SSE: (Layout.SSE,),
    Unit.DOCUMENT: (Layout.DOCUMENT,),
    Unit.TEXT: (Layout.TEXT,),
}


NAMES = sorted(known.name for known in FORMATS)
#: What is fuzzed beside the readers.
DETECTION = "detection"


def seeds(name: str) -> list[bytes]:
    """The golden samples of a format, or of all formats for the detection."""
    folder = SAMPLES if name == DETECTION else SAMPLES / name
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


def run(name: str, body: bytes) -> None:
    """One try of a reader, or of the detection."""
    if name == DETECTION:
        told_anything(body)
    else:
        read_anything(name, body)


def layouts(known: Format) -> list[Layout]:
    """Every way in which files of a format may be cut."""
    found = [layout for unit in (known.unit, *known.also) for layout in _LAYOUTS.get(unit, ())]
    return list(dict.fromkeys(found)) or [Layout.DOCUMENT]


def told_anything(body: bytes) -> None:
    """The detection tells any bytes' format, or refuses them."""
    try:
        assert detect(body[:SAMPLE_BYTES]).reason
    except UnreadableError as error:
        assert_refused(error)


def read_anything(name: str, body: bytes) -> list[Outcome]:
    """What a reader makes of any bytes, in each of its layouts; AssertionError where it may not."""
    outcomes: list[Outcome] = []
    for layout in layouts(by_name(name)):
        try:
            outcomes += told(name, body, layout=layout)
        except UnreadableError as error:
            assert_refused(error)
    for outcome in outcomes:
        assert_documented(outcome)
    return outcomes


def assert_refused(error: UnreadableError) -> None:
    assert error.code in REFUSALS, error.code
    assert error.reason


def assert_documented(outcome: Outcome) -> None:
    """A rejection names a known code and never the line; a record can be kept."""
    assert outcome.line >= 0
    if isinstance(outcome, Rejected):
        assert outcome.code in REJECTIONS, outcome.code
        assert outcome.reason
        assert len(outcome.value) <= 80
        assert len(outcome.reason) < 600
    if isinstance(outcome, Counted):
        for record in outcome.records:
            checked(record.use.counts)
            assert len(dedupe_key(1, record.identity)) == 16
            assert content_digest(record.use)
            assert record.place.started_at.tzinfo is not None
            assert_kept(record.use.model, record.place.session_id, record.place.user_id)


def assert_kept(*texts: str) -> None:
    """Texts that PostgreSQL takes."""
    for text in texts:
        assert "\0" not in text
        text.encode()
