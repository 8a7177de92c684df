"""Vertex AI's request-response log."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "vertex_log/rows.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, 2170, 1512, 200, 167, 42)
    assert books.errors == 1
    assert refused(outcomes) == [(5, "bad_time")]


def test_tool_prompts_are_input_and_thoughts_are_output():
    told = the(SAMPLE, "vx-1")
    counts = told.use.counts
    assert (counts.input_tokens, counts.tool_use_input_tokens) == (910, 10)
    assert (counts.output_tokens, counts.reasoning_output_tokens) == (70, 30)
    assert (counts.input_audio_tokens, counts.input_image_tokens) == (200, 0)
    assert (told.use.service_tier, told.use.region) == ("provisioned_throughput", "europe-west4")
    assert (told.place.team, told.place.user_id) == ("Shop", "mia")
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:03.100000+00:00"


def test_a_streams_chunks_repeat_their_counts():
    use = the(SAMPLE, "77002").use
    assert (use.counts.input_tokens, use.counts.output_tokens) == (40, 17)
    assert use.counts.reasoning_output_tokens == 12  # only the total knows of them
    assert (use.finish_reason, use.is_stream, use.duration_ms) == ("MAX_TOKENS", True, 900.0)


def test_claude_on_vertex_reports_as_anthropic_does():
    use = the(SAMPLE, "msg_vrtx_1").use
    assert (use.counts.input_tokens, use.counts.cache_write_5m_input_tokens) == (1220, 200)
    assert (use.provider, use.finish_reason) == ("google", "end_turn")


def test_an_error_in_place_of_an_answer():
    use = the(SAMPLE, "77004").use
    assert (use.status, use.http_status, use.error_type) == ("error", 429, "RESOURCE_EXHAUSTED")
