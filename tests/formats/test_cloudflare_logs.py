"""Pages of Cloudflare's logs API."""

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "cloudflare_logs/page.json"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (2, 1800, None, None, 140, None)
    assert books.errors == 1
    assert refused(outcomes) == [(4, "bad_count")]


def test_a_hit_in_the_gateways_cache_has_tokens_and_is_not_billed():
    use = the(SAMPLE, "cf-b").use
    assert (use.gateway_cache_hit, use.billable) == (True, False)
    assert use.counts.input_tokens == 900


def test_metadata_is_json_inside_a_string():
    place = the(SAMPLE, "cf-a").place
    assert (place.user_id, place.team) == ("mia", "Shop")


def test_a_failed_request_reports_nothing():
    use = the(SAMPLE, "cf-c").use
    assert (use.status, use.http_status, use.usage_state) == ("error", 500, "missing")
