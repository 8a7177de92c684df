"""Langfuse's observations: buckets side by side, wrappers left out, the last telling counts."""

from decimal import Decimal

import pytest

from ingest.formats.langfuse_usage import counts_of
from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, skipped, totals

SAMPLE = "langfuse_observations/observations.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, 2520, 1512, 200, 160, 30)
    assert books.errors == 1
    assert skipped(outcomes) == [1, 2]
    assert refused(outcomes) == [(8, "bad_count")]


def test_of_a_row_exported_twice_the_later_counts():
    use = the(SAMPLE, "b1f0000000000003").use
    assert (use.counts.input_tokens, use.counts.output_tokens) == (1220, 80)
    assert use.counts.cache_write_1h_input_tokens == 50
    assert use.reported_cost == Decimal("0.00231")
    assert (use.max_output_tokens, use.ttft_ms, use.duration_ms) == (4096, 500.0, 2750.0)
    assert use.provider == "anthropic"


def test_inclusive_numbers_are_known_by_their_total():
    counts = the(SAMPLE, "b1f0000000000004").use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (900, 512)
    assert (counts.output_tokens, counts.reasoning_output_tokens) == (70, 30)


def test_a_bucket_of_an_unknown_name_is_still_input():
    assert the(SAMPLE, "b1f0000000000006").use.counts.input_tokens == 400


def test_a_failed_call_without_usage_is_an_error():
    use = the(SAMPLE, "b1f0000000000005").use
    assert (use.status, use.usage_state) == ("error", "missing")


@pytest.mark.parametrize(
    ("details", "expected"),
    [
        ({"input": 5, "output": 2}, (5, 2, True)),
        ({"input": 5, "input_cached_tokens": 3, "output": 2}, (8, 2, True)),
        ({"input": 5, "input_cached_tokens": 3, "output": 2, "total": 7}, (5, 2, True)),
        ({"input": 5, "input_cached_tokens": 3, "output": 2, "total": 99}, (8, 2, False)),
        ({"total": 9}, (None, None, False)),
    ],
)
def test_the_total_checks_the_buckets(details, expected):
    counts, fits = counts_of(details, hides_thoughts=False)
    assert (counts.input_tokens, counts.output_tokens, fits) == expected
