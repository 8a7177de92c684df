"""Copilot's OpenTelemetry file: spans count, roll-ups and their log records do not."""

from itertools import permutations

from tests.formats.folders import read_folder
from tests.formats.reading import Books, refused, skipped, totals


def test_totals_are_right():
    books = Books.of(read_folder("copilot_otel"))
    assert totals(books) == (2, 10000, 7000, 400, 270, 80)
    assert books.errors == 1


def test_agents_and_tools_are_no_requests():
    outcomes = list(read_folder("copilot_otel"))
    assert skipped(outcomes) == [5, 7]
    assert refused(outcomes) == [(6, "bad_count")]


def test_a_span_wins_over_its_log_record_in_either_order():
    log, span = list(read_folder("copilot_otel"))[:2]
    for order in permutations([log, span]):
        use = Books.of(order).one("resp_c1").use
        assert (use.counts.cache_read_input_tokens, use.finish_reason) == (6000, "stop")
        assert (use.duration_ms, use.max_output_tokens) == (2250.0, 4096)
        assert use.provider == "github-copilot"
        assert use.reported_cost is None  # github.copilot.cost counts premium requests


def test_a_span_without_a_response_id_is_known_by_itself():
    record = list(read_folder("copilot_otel"))[2].records[0]
    assert (record.identity.trace_id, record.identity.span_id) == ("7f01", "b3")
    assert record.use.counts.cache_write_input_tokens == 400
    assert record.place.session_id == "conv-a"
    assert record.place.started_at.isoformat() == "2026-04-07T08:00:00+00:00"
