"""Vendors behind OpenAI's chat interface: each one's own names and placements of counts."""

from decimal import Decimal

import pytest

from ingest.formats.base import Counted, Rejected
from ingest.formats.cutting import Layout
from tests.formats.gateway_rows import the, warned
from tests.formats.reading import Books, read_sample, refused, told, totals

SAMPLE = "openai_chat/vendors.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    assert totals(Books.of(outcomes)) == (16, 1079, 524, 45, 10142, 7283)
    assert refused(outcomes) == [(17, "bad_count")]
    assert warned(outcomes) == []


@pytest.mark.parametrize(
    ("known_as", "provider", "expected"),
    [
        # input, cache read, cache write, output, reasoning
        ("deepseek-1", "deepseek", (100, 64, 0, 20, 12)),
        ("moonshot-1", "moonshotai", (100, 80, 0, 20, None)),
        ("mistral-1", "mistral", (100, 48, 0, 20, None)),
        ("mistral-2", "mistral", (10, 0, 0, 2, None)),
        ("qwen-1", "", (100, 40, 30, 20, None)),
        ("glm-1", "", (100, 96, 0, 20, None)),
        ("xai-1", "x-ai", (100, 10, 0, 205, 200)),
        ("xai-2", "x-ai", (40, 30, 0, 5, 0)),
        ("groq-1", "groq", (100, None, None, 20, 9)),
        ("gen-openrouter-1", "openrouter", (100, 60, 15, 20, 0)),
        ("perplexity-1", "perplexity", (30, 0, 0, 9700, 7000)),
        ("llama-1", "", (100, 96, 0, 10, None)),
        ("gemini-1", "google", (35, None, None, 74, 62)),
    ],
)
def test_each_vendors_counts_become_inclusive(known_as, provider, expected):
    use = the(SAMPLE, known_as).use
    counts = use.counts
    assert use.provider == provider
    assert expected == (
        counts.input_tokens,
        counts.cache_read_input_tokens,
        counts.cache_write_input_tokens,
        counts.output_tokens,
        counts.reasoning_output_tokens,
    )


@pytest.mark.parametrize(
    ("known_as", "usd"),
    [
        ("xai-1", "0.00016415"),
        ("gen-openrouter-1", "0.000911"),
        ("perplexity-1", "0.137"),
    ],
)
def test_what_the_vendor_charged_is_kept_to_the_digit(known_as, usd):
    use = the(SAMPLE, known_as).use
    assert (use.reported_cost, use.reported_currency) == (Decimal(usd), "USD")


def test_what_is_billed_beside_tokens_is_kept():
    assert the(SAMPLE, "xai-1").use.counts.other_units == (("sources_used", 3),)
    research = the(SAMPLE, "perplexity-1").use.counts
    assert (research.output_citation_tokens, research.web_search_requests) == (2000, 18)
    assert the(SAMPLE, "gen-openrouter-1").use.counts.web_search_requests == 2
    assert the(SAMPLE, "qwen-1").use.counts.cache_write_5m_input_tokens == 30


def test_groq_tells_its_times_in_seconds():
    use = the(SAMPLE, "groq-1").use
    assert (use.queue_ms, use.prefill_ms, use.tpot_ms, use.duration_ms) == (10.0, 20.0, 15.0, 320.0)


def test_llama_servers_timings_put_the_cached_prompt_back():
    use = the(SAMPLE, "llama-1").use
    assert (use.prefill_ms, use.tpot_ms, use.duration_ms) == (30.5, 19.0, 220.5)


def test_llama_servers_own_interface_has_only_timings():
    (outcome,) = (each for each in read_sample(SAMPLE) if each.line == 12)
    assert isinstance(outcome, Counted)
    counts = outcome.records[0].use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (50, None)
    assert counts.output_tokens == 6


def test_equal_embeddings_each_count():
    found = [o.records[0] for o in read_sample(SAMPLE) if o.line in {14, 15}]
    assert [(r.use.operation, r.use.counts.output_tokens) for r in found] == [("embeddings", 0)] * 2
    assert found[0].identity.fingerprint != found[1].identity.fingerprint


def test_usage_is_found_wherever_a_stream_puts_it():
    sample = "openai_chat/cut_off.sse"
    assert the(sample, "moonshot-flow").use.counts.cache_read_input_tokens == 20
    groq = the(sample, "groq-flow").use
    assert (groq.provider, groq.counts.input_tokens, groq.queue_ms) == ("groq", 40, 500.0)


def test_a_stream_that_was_cut_off_has_unknown_usage():
    use = the("openai_chat/cut_off.sse", "chatcmpl-cut").use
    assert (use.status, use.usage_state, use.counts.output_tokens) == ("cancelled", "missing", None)


def test_chunks_without_an_id_are_one_request():
    books = Books.of(read_sample("openai_chat/chunks_without_id.json"))
    assert totals(books) == (1, 17, None, None, 2, None)


def test_a_bad_chunk_costs_no_other_answer():
    good = b'data: {"id":"a","object":"chat.completion.chunk","usage":{"prompt_tokens":1,"completion_tokens":1}}\n'
    bad = good.replace(b'"a"', b'"b"').replace(b'"prompt_tokens":1', b'"prompt_tokens":-1')
    outcomes = told("openai_chat", good + bad, layout=Layout.SSE)
    assert [type(outcome) for outcome in outcomes] == [Counted, Rejected]


def test_voices_are_counted_as_audio():
    use = the("openai_responses/realtime.jsonl", "resp_voice").use
    assert (use.counts.input_audio_tokens, use.counts.output_audio_tokens) == (120, 40)
    assert (use.counts.cache_read_input_tokens, use.counts.cache_read_audio_tokens) == (64, 0)
