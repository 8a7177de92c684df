"""OpenRouter's activity export."""

from decimal import Decimal

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "openrouter_activity/activity.csv"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    assert totals(Books.of(outcomes)) == (2, 4900, 3000, 0, 390, 50)
    assert refused(outcomes) == [(4, "bad_amount")]


def test_the_discount_for_cached_tokens_is_inside_the_total():
    told = the(SAMPLE, "gen-1775548800-aaa")
    assert told.use.reported_cost == Decimal("0.01275")
    assert told.place.started_at.isoformat() == "2026-04-07T08:00:00.250000+00:00"
    assert told.place.api_key_name == "shop-key"


def test_a_generation_that_both_logs_tell_counts_once():
    names = [SAMPLE, "openrouter_generation/generations.jsonl"]
    books = Books.of(outcome for name in names for outcome in read_sample(name))
    assert books.requests == 3
    assert books.one("gen-1775548800-aaa").use.counts.input_tokens == 4000


def test_a_cancelled_generation_counts_and_byok_cost_is_not_ours():
    use = the(SAMPLE, "gen-1775549100-ddd").use
    assert (use.status, use.provider, use.reported_cost) == ("cancelled", "openai", 0)
    assert use.counts.cache_read_input_tokens is None


def test_an_export_from_before_cached_tokens_leaves_them_unknown():
    books = Books.of(read_sample("openrouter_activity/before_cache.csv"))
    assert totals(books) == (1, 700, None, None, 30, 0)
