"""codex exec: usage by turn, without times and ids."""

from tests.formats.folders import read_folder
from tests.formats.reading import OPTIONS, Books, sample, told, totals

RUN = sample("codex_exec/run.jsonl")


def test_each_turn_is_one_request():
    books = Books.of(read_folder("codex_exec"))
    assert totals(books) == (2, 10600, 9216, 0, 112, 32)
    assert books.errors == 1


def test_the_second_turn_tells_no_reasoning():
    counts = told("codex_exec", RUN)[6].records[0].use.counts
    assert (counts.input_tokens, counts.reasoning_output_tokens) == (5400, None)


def test_its_time_is_assumed_and_its_session_is_the_thread():
    record = told("codex_exec", RUN)[3].records[0]
    assert (record.place.started_at, record.place.time_quality) == (OPTIONS.assumed_time, "assumed")
    assert (record.place.session_id, record.restamps) == ("thread-x", True)


def test_a_resumed_thread_with_the_same_figures_is_another_turn():
    resumed = RUN.replace(b'"text":"One"', b'"text":"Three"')
    assert Books.of(told("codex_exec", RUN) + told("codex_exec", resumed)).requests == 4


def test_an_output_with_other_line_ends_is_the_same():
    windows = RUN.replace(b"\n", b"\r\n")
    assert Books.of(told("codex_exec", RUN) + told("codex_exec", windows)).requests == 2


def test_a_failed_turn_is_an_error_without_usage():
    use = told("codex_exec", RUN)[9].records[0].use
    assert (use.status, use.error_type, use.usage_state) == ("error", "turn_failed", "missing")
