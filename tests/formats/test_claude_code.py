"""Claude Code's transcripts: copies in other sessions, other vendors, and converted lines."""

from decimal import Decimal

import pytest

from tests.formats.folders import read_path
from tests.formats.reading import SAMPLES, Books, totals

PROJECT = SAMPLES / "claude_code/projects/-srv-shop"
FIRST, RESUMED = PROJECT / "s-1.jsonl", PROJECT / "s-2.jsonl"


def books(*paths):
    return Books.of(outcome for path in paths for outcome in read_path(path))


def test_a_resumed_session_adds_only_what_is_new():
    assert totals(books(FIRST)) == (2, 18412, 17200, 1200, 550, None)
    assert totals(books(FIRST, RESUMED)) == (5, 19562, 17630, 1200, 659, None)


@pytest.mark.parametrize("paths", [(FIRST, RESUMED), (RESUMED, FIRST)], ids=["first", "last"])
def test_a_copied_message_stays_in_its_first_session(paths):
    place = books(*paths).one("msg_second").place
    assert (place.session_id, place.started_at.day) == ("s-1", 7)


def test_another_vendors_model_needs_no_request_id():
    record = books(RESUMED).one("msg_other")
    assert (record.use.model, record.use.provider) == ("glm-4.6", "")
    assert record.use.counts.input_tokens == 1000


def test_fast_answers_keep_their_speed():
    assert books(RESUMED).one("msg_fast").use.speed == "fast"


def test_counts_beside_the_message_are_read():
    record = list(read_path(RESUMED))[3].records[0]
    assert (record.use.counts.input_tokens, record.use.counts.output_tokens) == (100, 9)
    assert record.use.reported_cost == Decimal("0.0004")
