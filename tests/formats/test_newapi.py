"""one-api and new-api: 500,000 quota are one dollar, and corrections are no requests."""

from decimal import Decimal

import pytest

from ingest.formats.newapi_usage import quota_usd
from tests.formats.gateway_rows import at_line, warned
from tests.formats.reading import Books, read_sample, refused, skipped, totals

SAMPLE = "newapi/page.json"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, 1332, 612, 112, 150, None)
    assert books.errors == 1
    assert skipped(outcomes) == [4]
    assert refused(outcomes) == [(8, "bad_count"), (9, "bad_count")]


@pytest.mark.parametrize(
    ("quota", "usd"), [(500_000, "1"), (1, "0.000002"), (-400, "-0.0008"), (0, "0")]
)
def test_quota_is_money_to_the_digit(quota, usd):
    assert quota_usd(quota) == Decimal(usd)


def test_the_quota_tells_whether_a_prompt_includes_cached_tokens():
    inclusive, apart = at_line(SAMPLE, 1).use.counts, at_line(SAMPLE, 2).use.counts
    assert (inclusive.input_tokens, inclusive.cache_read_input_tokens) == (900, 512)
    assert (apart.input_tokens, apart.cache_write_input_tokens) == (432, 112)
    assert warned(read_sample(SAMPLE)) == []


@pytest.mark.parametrize(("line", "usd"), [(5, "-0.0008"), (6, "-0.000198")])
def test_money_given_back_is_no_request(line, usd):
    record = at_line(SAMPLE, line)
    assert (record.is_request, record.use.billable) == (False, False)
    assert record.use.reported_cost == Decimal(usd)
    assert record.use.counts.input_tokens is None


def test_a_call_with_a_price_of_its_own_is_a_request_without_tokens():
    record = at_line(SAMPLE, 7)
    assert (record.is_request, record.use.usage_state) == (True, "missing")
    assert record.use.reported_cost == Decimal("0.1")


def test_a_negative_first_token_time_is_unknown():
    assert at_line(SAMPLE, 1).use.ttft_ms == 640.0
    assert at_line(SAMPLE, 2).use.ttft_ms is None


def test_an_error_of_the_gateways_own():
    use = at_line(SAMPLE, 3).use
    assert (use.status, use.http_status, use.error_origin) == ("error", 503, "gateway")


def test_users_see_the_same_row_under_a_smaller_id():
    own = at_line("newapi/own_page.json", 1)
    assert own.identity == at_line(SAMPLE, 1).identity
    assert (own.place.user_id, own.place.api_key_name) == ("mia", "shop")
    assert own.place.time_quality == "second"
