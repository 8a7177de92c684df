"""Databricks' usage tables."""

from tests.formats.gateway_rows import at_line, the
from tests.formats.reading import Books, read_sample, refused, skipped, totals

SAMPLE = "databricks/ai_gateway_usage.csv"


def test_attempts_of_one_request_count_once():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (2, 980, None, None, 78, None)
    assert books.errors == 0
    assert skipped(outcomes) == [6]
    assert refused(outcomes) == [(7, "bad_count")]


def test_the_attempt_that_answered_is_the_request():
    told = the(SAMPLE, "r-1")
    assert (told.use.status, told.use.model) == ("ok", "claude-sonnet-4-6")
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:00.250000+00:00"
    assert (told.place.user_id, told.place.team) == ("mia@example.com", "Shop")


def test_a_failed_attempt_that_used_tokens_is_a_part_of_its_own():
    failed = at_line(SAMPLE, 4)
    assert (failed.identity.part, failed.use.counts.input_tokens) == (8133, 40)
    assert failed.use.status == "error"


def test_the_older_table_is_read_too():
    told = the("databricks/endpoint_usage.jsonl", "d-1")
    assert (told.use.counts.input_tokens, told.use.counts.output_tokens) == (300, 20)
    assert (told.use.request_model, told.use.is_stream) == ("se-7", False)
    assert told.use.provider == "databricks"
