"""Helicone's requests: the total tells what a prompt includes."""

import pytest

from tests.formats.gateway_rows import the
from tests.formats.reading import Books, read_sample, refused, totals

SAMPLE = "helicone/requests.jsonl"


def test_totals_are_right():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, 2220, 1512, 200, 117, None)
    assert books.errors == 1
    assert refused(outcomes) == [(6, "bad_time")]


@pytest.mark.parametrize(("known_as", "given"), [("6b0c-1", 1220), ("6b0c-2", 900)])
def test_the_total_decides_whether_the_prompt_includes_cached_tokens(known_as, given):
    assert the(SAMPLE, known_as).use.counts.input_tokens == given


def test_the_gateways_own_cache_is_not_billed():
    use = the(SAMPLE, "6b0c-2").use
    assert (use.gateway_cache_hit, use.billable, use.reported_cost) == (True, False, 0)
    assert use.counts.cache_read_input_tokens == 512


@pytest.mark.parametrize(
    ("known_as", "status", "origin"),
    [
        ("6b0c-1", "ok", ""),
        ("6b0c-3", "error", "upstream"),
        ("6b0c-4", "pending", ""),
        ("6b0c-5", "cancelled", "client"),
    ],
)
def test_negative_statuses_are_helicones_own(known_as, status, origin):
    use = the(SAMPLE, known_as).use
    assert (use.status, use.error_origin) == (status, origin)
    assert use.http_status == (200 if status == "ok" else None)


def test_properties_name_session_and_team():
    place = the(SAMPLE, "6b0c-1").place
    assert (place.session_id, place.team, place.environment) == ("s-1", "Shop", "prod")
    assert place.user_id == "mia"
    assert the(SAMPLE, "6b0c-1").use.ttft_ms == 500.0


def test_the_same_request_from_a_csv_counts_once():
    books = Books.of([*read_sample(SAMPLE), *read_sample("helicone/requests.csv")])
    assert books.requests == 3
