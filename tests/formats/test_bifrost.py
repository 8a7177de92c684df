"""Bifrost's logs."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "bifrost/page.json"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (2, 2120, 1000, 200, 150, 20)
    assert books.errors == 1
    assert refused(outcomes) == [(5, "bad_count")]


def test_a_row_that_was_still_processing_is_replaced_when_it_ends():
    assert the(SAMPLE, "bf-3").use.status == "pending"
    books = Books.of([*read_sample(SAMPLE), *read_sample("bifrost/later_page.json")])
    assert books.requests == 3
    assert books.total("input_tokens") == 2160


def test_a_fallback_names_the_attempt_before_it():
    failed, served = the(SAMPLE, "bf-1"), the(SAMPLE, "bf-2")
    assert (failed.use.status, failed.use.error_origin) == ("error", "upstream")
    assert (served.use.provider, served.place.session_id) == ("anthropic", "bf-1")
    assert (served.place.api_key_name, served.place.team) == ("Shop key", "shop")
    assert served.place.tags == (("customer", "acme"),)
    assert (served.use.duration_ms, served.use.finish_reason) == (2400.25, "stop")


def test_its_own_cache_is_not_billed():
    use = the(SAMPLE, "bf-4").use
    assert (use.gateway_cache_hit, use.billable) == (True, False)
    assert use.counts.cache_read_input_tokens is None
