"""Envoy AI Gateway's access log."""

from tests.formats.gateway_rows import at_line
from tests.formats.reading import Books, read_sample, refused, skipped, totals

SAMPLE = "envoy/access.ndjson"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (2, 940, 512, 0, 75, None)
    assert books.errors == 1
    assert skipped(outcomes) == [4]
    assert refused(outcomes) == [(5, "bad_count")]


def test_a_dash_is_nothing_and_numbers_may_be_text():
    use = at_line(SAMPLE, 1).use
    assert (use.counts.input_tokens, use.counts.cache_write_input_tokens) == (900, 0)
    assert at_line(SAMPLE, 2).use.counts.cache_read_input_tokens is None


def test_a_request_id_that_a_client_sent_twice_is_two_requests():
    first, second = (at_line(SAMPLE, line).identity.gateway_request_id for line in (1, 2))
    assert first == "11aa@2026-04-07T08:00:00.250000+00:00"
    assert second == "11aa@2026-04-07T08:00:05+00:00"


def test_the_provider_is_the_backends_name_where_that_is_one():
    assert at_line(SAMPLE, 1).use.provider == "openai"
    assert at_line(SAMPLE, 2).use.provider == ""


def test_an_answer_of_envoys_own_is_the_gateways_error():
    use = at_line(SAMPLE, 3).use
    assert (use.status, use.http_status, use.error_origin) == ("error", 503, "gateway")
    assert use.usage_state == "missing"


def test_the_session_and_the_time_it_took_are_kept():
    first = at_line(SAMPLE, 1)
    assert (first.place.session_id, first.use.duration_ms) == ("s-1", 2750.0)
    assert first.use.response_model == "gpt-5.2-2025-12-11"
