"""Cline's tasks: one request per entry, written in place."""

from decimal import Decimal

from tests.formats.folders import read_folder, read_path
from tests.formats.reading import SAMPLES, Books, refused, totals

FILE = SAMPLES / "cline/tasks/1775548800000/ui_messages.json"


def read(inside="tasks/1775548800000/ui_messages.json"):
    return list(read_path(FILE, inside=inside))


def test_totals_are_right():
    books = Books.of(read_folder("cline"))
    assert totals(books) == (3, 17754, 16700, 700, 225, None)
    assert books.errors == 1


def test_cached_tokens_stand_beside_the_input():
    record = read()[1].records[0]
    assert record.use.counts.input_tokens == 8714
    assert (record.use.provider, record.use.model) == ("anthropic", "claude-sonnet-4-5-20250929")
    assert record.use.reported_cost == Decimal("0.0099")
    assert (record.place.session_id, record.place.agent) == ("1775548800000", "act")
    assert record.place.started_at.isoformat() == "2026-04-07T08:00:00.100000+00:00"


def test_a_request_without_counts_is_no_usage():
    assert read()[2].code == "no_usage"


def test_a_cancelled_request_counts_and_a_failed_one_is_an_error():
    assert read()[3].records[0].use.status == "cancelled"
    failed = read()[4].records[0].use
    assert (failed.status, failed.error_type) == ("error", "streaming_failed")
    assert failed.counts.input_tokens is None


def test_old_versions_tell_the_usage_in_an_entry_of_its_own():
    late = read()[6].records[0]
    assert late.use.counts.input_tokens == 300
    assert late.place.started_at.isoformat() == "2026-04-07T08:00:20+00:00"


def test_compaction_is_a_cost_and_no_request():
    record = read()[7].records[0]
    assert record.identity.part == 1
    assert (record.use.operation, record.use.reported_cost) == ("compaction", Decimal("0.0004"))
    assert not record.is_request


def test_a_bad_entry_costs_no_neighbour():
    assert refused(read()) == [(9, "bad_count")]


def test_a_task_that_was_copied_elsewhere_is_the_same_task():
    assert Books.of(read() + read("ui_messages.json")) == Books.of(read())
