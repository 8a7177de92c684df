"""Portkey's log export."""

from decimal import Decimal

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "portkey/logs.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, 2160, 1512, 200, 155, 30)
    assert books.errors == 1
    assert refused(outcomes) == [(5, "bad_amount")]


def test_cost_is_in_cents():
    assert the(SAMPLE, "pk-1").use.reported_cost == Decimal("0.00225")
    assert the(SAMPLE, "pk-3").use.reported_cost == Decimal("0.000145")


def test_the_answers_id_is_the_requests():
    identity = the(SAMPLE, "pk-1").identity
    assert (identity.response_id, identity.gateway_request_id) == ("chatcmpl-pk1", "pk-1")


def test_without_the_body_cached_tokens_are_unknown():
    counts = the(SAMPLE, "pk-3").use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (40, None)


def test_anthropics_body_leaves_cached_tokens_out_of_the_input():
    counts = the(SAMPLE, "pk-2").use.counts
    assert (counts.input_tokens, counts.cache_write_input_tokens) == (1220, 200)


def test_a_guardrail_is_the_gateways_own_refusal():
    use = the(SAMPLE, "pk-4").use
    assert (use.status, use.http_status, use.error_origin) == ("error", 446, "gateway")


def test_metadata_and_bodies_say_the_rest():
    told = the(SAMPLE, "pk-1")
    assert (told.place.user_id, told.place.session_id) == ("mia", "tr-9")
    assert told.place.environment == "prod"
    assert (told.use.max_output_tokens, told.use.finish_reason) == (4096, "stop")
    assert told.use.response_model == "gpt-5.2-2025-12-11"
