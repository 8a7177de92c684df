"""The samples that hold the traps of LiteLLM, of measured timings and of Anthropic's fallbacks."""

from decimal import Decimal

from tests.formats.reading import Books, read_sample, refused, totals

CALLS = "litellm_payload/odd.jsonl"
TIMINGS = "token_timing/odd.jsonl"


def call(line):
    (outcome,) = (each for each in read_sample(CALLS) if each.line == line)
    return outcome.records[0]


def test_totals_of_litellms_odd_calls():
    books = Books.of(read_sample(CALLS))
    assert totals(books) == (9, 9190, 1700, 380, 475, None)
    assert books.errors == 1


def test_an_answer_that_was_logged_twice_is_one_request():
    assert call(1).identity.response_id == call(2).identity.response_id == "msg_shop"


def test_a_call_without_an_id_is_known_by_what_it_says():
    assert (call(3).identity.response_id, len(call(3).identity.fingerprint)) == ("", 16)


def test_what_is_not_told_of_a_cache_is_unknown():
    assert call(4).use.counts.cache_read_input_tokens is None


def test_writes_are_more_than_their_stale_split():
    counts = call(6).use.counts
    assert (counts.cache_write_input_tokens, counts.cache_write_5m_input_tokens) == (180, 100)


def test_a_cost_is_kept_as_it_was_reported():
    assert call(7).use.reported_cost == Decimal("0.004")


def test_the_total_tells_that_cached_tokens_stand_beside_the_prompt():
    counts = call(8).use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (1220, 1000)


def test_a_batch_has_the_price_of_a_batch():
    assert call(9).use.processing == "batch"


def test_a_failed_call_and_its_fallback_are_two():
    failed, served = call(10), call(11)
    assert (failed.use.status, failed.use.usage_state, failed.use.model) == (
        "error",
        "missing",
        "writer",
    )
    assert served.use.status == "ok"
    assert served.use.model == "openai/gpt-5.2"
    assert failed.identity.trace_id == served.identity.trace_id == "trace-9"


def test_odd_timings_are_read_and_equal_ones_are_two():
    outcomes = read_sample(TIMINGS)
    assert totals(Books.of(outcomes)) == (6, None, None, None, 27, None)
    assert refused(outcomes) == [(5, "not_a_number")]
    assert [o.line for o in outcomes] == [1, 2, 3, 4, 5, 7, 8]
    assert [o.line for o in outcomes if getattr(o, "warnings", ())] == [3]
    assert outcomes[1].records[0].use.tpot_ms is None


def test_a_declined_call_is_a_part_beside_the_answer_of_the_fallback():
    books = Books.of(read_sample("anthropic_messages/fallback.json"))
    assert totals(books) == (1, 1390, 0, 0, 131, None)
    declined = books.one("msg_fell_back", part=1).use
    assert (declined.model, declined.operation) == ("claude-opus-4-6", "fallback")
    assert books.one("msg_fell_back").use.model == "claude-sonnet-4-6"


def test_older_names_of_spans_mean_the_same():
    first, created, written = (
        o.records[0].use for o in read_sample("otlp_traces/older_names.jsonl")
    )
    assert (first.provider, first.counts.input_tokens, first.counts.output_tokens) == (
        "openai",
        200,
        20,
    )
    assert (first.status, first.duration_ms) == ("ok", 1000.0)
    assert created.counts == written.counts
    assert (created.counts.input_tokens, created.counts.cache_write_input_tokens) == (1000, 300)
