"""Answers of Gemini, Bedrock's Converse, Cohere and DashScope, as they are and wrapped."""

import pytest

from ingest.formats.base import Counted, Options
from tests.formats.gateway_rows import at_line, the, warned
from tests.formats.reading import (
    MIDNIGHT,
    Books,
    detected,
    read_sample,
    refused,
    sample,
    skipped,
    told,
    totals,
)

WRAPPED = "wrapped_body/records.jsonl"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # requests, input, cache read, cache write, output, reasoning
        ("gemini_api/stream.sse", (1, 840, 500, 0, 50, 30)),
        ("gemini_api/chunks.json", (1, 50, 0, 0, 9, 0)),
        ("gemini_api/bodies.jsonl", (2, 22, 0, 0, 106, 100)),
        ("bedrock_converse/body.json", (1, 2303, 2000, 300, 60, None)),
        ("bedrock_converse/stream.jsonl", (1, 11, 0, 0, 4, None)),
        ("cohere/answers.jsonl", (4, 117, None, None, 56, None)),
        ("cohere/stream.sse", (1, 20, None, None, 7, None)),
        ("dashscope/answers.jsonl", (2, 340, 200, 0, 35, None)),
        ("dashscope/stream.sse", (1, 30, 0, 0, 8, None)),
        (WRAPPED, (8, 779, 90, 0, 88, 26)),
    ],
)
def test_totals_are_right(name, expected):
    assert totals(Books.of(read_sample(name))) == expected


def test_geminis_tools_are_input_and_its_thoughts_output():
    told = the("gemini_api/stream.sse", "rsp-flow")
    counts = told.use.counts
    assert (counts.tool_use_input_tokens, counts.input_audio_tokens) == (40, 100)
    assert (told.use.service_tier, told.use.finish_reason) == ("provisioned_throughput", "STOP")
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:00.250000+00:00"


def test_a_blocked_prompt_of_geminis_is_a_request():
    use = the("gemini_api/bodies.jsonl", "rsp-b").use
    assert (use.status, use.finish_reason, use.counts.input_tokens) == ("ok", "SAFETY", 12)


def test_geminis_error_bodies_are_errors():
    use = at_line("gemini_api/bodies.jsonl", 3).use
    assert (use.status, use.http_status, use.error_type) == ("error", 429, "RESOURCE_EXHAUSTED")
    assert refused(read_sample("gemini_api/bodies.jsonl")) == [(4, "bad_count")]


def test_converse_counts_input_without_the_cached_tokens():
    told = the("bedrock_converse/body.json", "6f3c1c1e-converse")
    counts = told.use.counts
    assert (counts.cache_write_5m_input_tokens, counts.cache_write_1h_input_tokens) == (200, 100)
    assert (told.use.duration_ms, told.use.provider) == (2202.0, "aws")
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:00+00:00"


def test_converse_names_no_model_so_the_import_does():
    options = Options(assumed_time=MIDNIGHT, model="eu.amazon.nova-pro-v1:0")
    (outcome,) = read_sample("bedrock_converse/stream.jsonl", options=options)
    assert isinstance(outcome, Counted)
    assert outcome.records[0].use.model == "eu.amazon.nova-pro-v1:0"
    assert outcome.records[0].use.finish_reason == "max_tokens"


def test_cohere_bills_other_tokens_than_it_reads():
    assert the("cohere/answers.jsonl", "co-chat").use.counts.input_tokens == 8
    embedded = the("cohere/answers.jsonl", "co-embed").use
    assert (embedded.operation, embedded.counts.input_image_tokens) == ("embeddings", 100)
    ranked = the("cohere/answers.jsonl", "co-rerank").use
    assert (ranked.operation, ranked.counts.other_units) == ("rerank", (("search_units", 1),))


def test_dashscopes_errors_are_errors():
    use = the("dashscope/answers.jsonl", "qn-c").use
    assert (use.status, use.error_type) == ("error", "Throttling.RateQuota")
    assert the("dashscope/answers.jsonl", "qn-b").use.finish_reason == "length"


@pytest.mark.parametrize("name", [WRAPPED, "gemini_api/bodies.jsonl", "gemini_api/chunks.json"])
def test_line_ends_take_no_part_in_what_an_answer_is_known_by(name):
    found = detected(sample(name), name)
    plain, windows = (
        Books.of(told(found.format.name, body, layout=found.layout))
        for body in (sample(name), sample(name).replace(b"\n", b"\r\n"))
    )
    assert windows == plain


def test_a_wrapper_adds_what_the_answer_does_not_say():
    chat, message = the(WRAPPED, "wrapped-chat"), the(WRAPPED, "msg_wrapped")
    assert (chat.use.provider, chat.place.started_at.hour) == ("groq", 8)
    assert (message.place.started_at.microsecond, message.place.time_quality) == (500_000, "exact")
    assert at_line(WRAPPED, 5).use.request_model == "eu.amazon.nova-pro-v1:0"


def test_parts_need_an_answer_with_an_id():
    assert the(WRAPPED, "msg_wrapped", part=1).use.counts.input_tokens == 500
    assert warned(read_sample(WRAPPED)) == [(3, "parts_left_out")]


def test_a_record_with_two_answers_is_not_guessed_at():
    outcomes = read_sample(WRAPPED)
    assert refused(outcomes) == [(10, "ambiguous_body")]
    assert skipped(outcomes) == [9]


def test_a_wrapped_answer_is_claimed_only_where_nobody_else_claims():
    line = b'{"type":"assistant","sessionId":"s","message":{"id":"msg_1","type":"message","usage":'
    line += b'{"input_tokens":1,"output_tokens":1}},"timestamp":"2026-04-07T08:00:00Z"}'
    assert detected(line).format.name == "claude_code"
