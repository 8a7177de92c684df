"""Vercel AI Gateway's generations."""

from decimal import Decimal

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, detected, read_sample, refused, sample, totals

SAMPLE = "vercel_gateway/generations.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    assert totals(Books.of(outcomes)) == (2, 2120, 1512, 200, 150, 20)
    assert refused(outcomes) == [(3, "bad_count")]


def test_the_prompt_includes_cache_reads_and_writes():
    use = the(SAMPLE, "gen_01SHOP1").use
    assert use.counts.uncached_input_tokens == 20
    assert use.counts.web_search_requests == 2
    assert (use.provider, use.reported_cost) == ("anthropic", Decimal("0.00231"))
    assert (use.ttft_ms, use.duration_ms) == (500.0, 2750.0)


def test_a_count_that_is_left_out_is_unknown():
    counts = the(SAMPLE, "gen_01SHOP2").use.counts
    assert (counts.cache_read_input_tokens, counts.cache_write_input_tokens) == (512, None)


def test_its_ids_tell_it_from_openrouter():
    other = sample("openrouter_generation/generations.jsonl")
    assert detected(sample(SAMPLE)).format.name == "vercel_gateway"
    assert detected(other).format.name == "openrouter_generation"
