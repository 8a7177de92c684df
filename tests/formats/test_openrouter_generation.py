"""OpenRouter's generation objects: native counts, in dollars."""

from decimal import Decimal

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "openrouter_generation/generations.jsonl"


def test_totals_are_those_of_the_native_counts():
    outcomes = read_sample(SAMPLE)
    assert totals(Books.of(outcomes)) == (2, 5010, 3000, 0, 862, 50)
    assert refused(outcomes) == [(3, "bad_count")]


def test_a_generation_tells_how_it_went():
    told = the(SAMPLE, "gen-1775548800-aaa")
    assert (told.use.provider, told.use.finish_reason) == ("openrouter", "stop")
    assert (told.use.ttft_ms, told.use.duration_ms) == (620.0, 3100.0)
    assert (told.use.reported_cost, told.use.reported_currency) == (Decimal("0.01275"), "USD")
    assert (told.place.user_id, told.place.tags) == (
        "mia",
        (("app", "42"), ("served_by", "Anthropic")),
    )


def test_with_a_key_of_ones_own_the_provider_bills_the_tokens():
    use = the(SAMPLE, "gen-1775548900-bbb").use
    assert (use.provider, use.service_tier) == ("openai", "flex")
    assert use.reported_cost == Decimal("0.0004")  # OpenRouter's fee, not the 0.0081 upstream
    assert use.ttft_ms is None
