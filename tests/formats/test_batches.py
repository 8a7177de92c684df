"""Results of batches: each answer at the batch's price, each failure once."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

OPENAI, ANTHROPIC = "openai_batch/output.jsonl", "anthropic_batch/results.jsonl"


def test_totals_of_openais_output_are_right():
    outcomes = read_sample(OPENAI)
    books = Books.of(outcomes)
    assert totals(books) == (3, 807, 128, 0, 60, 10)
    assert books.errors == 2
    assert refused(outcomes) == [(6, "bad_count")]


def test_totals_of_anthropics_results_are_right():
    books = Books.of(read_sample(ANTHROPIC))
    assert totals(books) == (1, 560, 100, 60, 30, None)
    assert books.errors == 3


def test_each_answer_has_the_batchs_price():
    records = [*Books.of(read_sample(OPENAI)).events.values()]
    records += Books.of(read_sample(ANTHROPIC)).events.values()
    assert {record.use.processing for record in records} == {"batch"}


def test_an_answer_keeps_its_own_id():
    told = the(OPENAI, "resp_batched")
    assert (told.identity.response_id, told.identity.gateway_request_id) == (
        "resp_batched",
        "batch_req_b",
    )
    assert told.use.source == "openai_batch"
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:01+00:00"


def test_an_answer_without_an_id_has_the_batchs():
    assert the(OPENAI, "batch_req_c").use.operation == "embeddings"


def test_failures_say_whose_fault_they_were():
    refused_use, expired = the(OPENAI, "batch_req_d").use, the(OPENAI, "batch_req_e").use
    assert (refused_use.http_status, refused_use.error_type) == (400, "context_length_exceeded")
    assert (refused_use.error_origin, expired.error_origin) == ("client", "upstream")
    assert (expired.status, expired.error_type) == ("error", "batch_expired")
    errors = {
        record.use.error_type: record.use.error_origin
        for record in Books.of(read_sample(ANTHROPIC)).events.values()
        if record.use.status == "error"
    }
    assert errors == {"overloaded_error": "upstream", "expired": "upstream", "canceled": "client"}


def test_a_batched_message_keeps_its_cache_split():
    use = the(ANTHROPIC, "msg_batched").use
    assert use.counts.cache_write_1h_input_tokens == 60
    assert (use.service_tier, use.provider) == ("batch", "anthropic")
