"""Kong's HTTP log with its AI plugins."""

import json
from decimal import Decimal

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, sample, skipped, told, totals

SAMPLE = "kong/http-log.ndjson"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, 982, None, None, 548, 288)
    assert books.errors == 1
    assert skipped(outcomes) == [5]
    assert refused(outcomes) == [(6, "bad_count")]


def test_anthropics_cached_tokens_are_lost_and_said_to_be():
    use = the(SAMPLE, "k-2").use
    assert (use.counts.input_tokens, use.usage_state) == (20, "partial")
    assert (use.request_model, use.response_model) == ("claude-sonnet-4-6", "claude-sonnet-4-6")
    assert use.reported_cost == Decimal("0.00126")


def test_geminis_thoughts_stand_only_in_the_total():
    counts = the(SAMPLE, "k-3").use.counts
    assert (counts.output_tokens, counts.reasoning_output_tokens) == (388, 288)


def test_a_transformer_that_asked_a_model_is_a_part_of_the_request():
    part = the(SAMPLE, "k-3", part=1)
    assert (part.use.model, part.use.operation) == ("gpt-5-mini", "ai-request-transformer")
    assert part.use.counts.input_tokens == 50


def test_a_request_without_its_time_is_looked_for_everywhere_with_its_parts():
    line = next(line for line in sample(SAMPLE).splitlines() if b'"k-3"' in line)
    row = json.loads(line)
    del row["started_at"]
    (outcome,) = told("kong", json.dumps(row).encode())
    assert [record.restamps for record in outcome.records] == [True, True]


def test_without_an_upstream_the_error_is_kongs():
    use = the(SAMPLE, "k-4").use
    assert (use.status, use.error_origin) == ("error", "gateway")
    assert use.usage_state == "missing"


def test_the_consumer_is_the_user():
    told = the(SAMPLE, "k-1")
    assert (told.place.user_id, told.use.duration_ms) == ("shop-bot", 2760.0)
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:00.250000+00:00"
