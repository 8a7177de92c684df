"""Amazon Bedrock's invocation log."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "bedrock_invocation/log.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (4, 1950, 1600, 200, 606, None)
    assert books.errors == 1
    assert refused(outcomes) == [(6, "bad_count")]


def test_input_is_counted_without_the_cached_tokens():
    told = the(SAMPLE, "rq-1")
    counts = told.use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (1220, 1000)
    assert (counts.cache_write_5m_input_tokens, counts.cache_write_1h_input_tokens) == (150, 50)
    assert (told.use.region, told.use.max_output_tokens) == ("eu-central-1", 4096)
    assert (told.place.user_id, told.place.team) == ("mia", "Shop")


def test_cache_counts_may_stand_in_the_body_alone():
    told = the(SAMPLE, "rq-2")
    assert told.identity.response_id == "msg_bdrk_shop"
    assert (told.use.counts.input_tokens, told.use.counts.cache_read_input_tokens) == (630, 600)
    assert (told.use.finish_reason, told.use.is_stream) == ("max_tokens", True)
    assert (told.use.ttft_ms, told.use.duration_ms) == (300.0, 900.0)
    assert (told.use.region, told.use.provider) == ("eu-central-1", "aws")


def test_a_total_without_room_for_cached_tokens_says_there_were_none():
    use = the(SAMPLE, "rq-3").use
    assert use.counts.cache_read_input_tokens == 0
    assert (use.finish_reason, use.duration_ms) == ("end_turn", 700.0)


def test_without_a_body_cached_tokens_are_unknown():
    counts = the(SAMPLE, "rq-4").use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (60, None)


def test_an_error_code_is_an_error():
    use = the(SAMPLE, "rq-5").use
    assert (use.status, use.error_type) == ("error", "ThrottlingException")
    assert (use.error_origin, use.usage_state) == ("upstream", "missing")
