"""Finds one record of a gateway's golden sample by the id that its log gives it."""

from accounting.domain.usage import UsageRecord
from ingest.formats.base import Counted, Outcome
from tests.formats.reading import Books, read_sample


def the(name: str, known_as: str, part: int = 0) -> UsageRecord:
    """The record of a sample with this id, as the books keep it."""
    found = [
        record
        for record in Books.of(read_sample(name)).events.values()
        if known_as in _ids(record) and record.identity.part == part
    ]
    assert len(found) == 1, found
    return found[0]


def at_line(name: str, line: int) -> UsageRecord:
    """The record that a line of a sample tells."""
    (outcome,) = (each for each in read_sample(name) if each.line == line)
    assert isinstance(outcome, Counted), outcome
    return outcome.records[0]


def warned(outcomes: list[Outcome]) -> list[tuple[int, str]]:
    """Line and code of each doubt."""
    return [(o.line, code) for o in outcomes if isinstance(o, Counted) for code in o.warnings]


def _ids(record: UsageRecord) -> set[str]:
    identity = record.identity
    return {identity.response_id, identity.span_id, identity.gateway_request_id}
