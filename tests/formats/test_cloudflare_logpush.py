"""Cloudflare's Logpush events: no tokens, no id, three ways to write a time."""

from decimal import Decimal

from tests.formats.gateway_rows import at_line
from tests.formats.reading import Books, read_sample, refused, sample, told, totals

SAMPLE = "cloudflare_logpush/events.ndjson"


def test_requests_are_counted_and_their_tokens_unknown():
    outcomes = read_sample(SAMPLE)
    books = Books.of(outcomes)
    assert totals(books) == (3, None, None, None, None, None)
    assert books.errors == 1
    assert {record.use.usage_state for record in books.events.values()} == {"missing"}
    assert refused(outcomes) == [(5, "bad_time")]


def test_equal_events_of_one_file_are_two_requests_and_again_delivered_the_same_two():
    once = Books.of(told("cloudflare_logpush", sample(SAMPLE)))
    twice = Books.of(
        [*told("cloudflare_logpush", sample(SAMPLE)), *told("cloudflare_logpush", sample(SAMPLE))]
    )
    assert len(once.events) == len(twice.events) == 4


def test_times_are_read_as_the_job_wrote_them():
    starts = [at_line(SAMPLE, line).place.started_at.isoformat() for line in (1, 2, 4)]
    assert starts == [
        "2026-04-07T08:00:00.250000+00:00",
        "2026-04-07T08:00:10+00:00",
        "2026-04-07T08:00:20+00:00",
    ]


def test_what_an_event_says_is_kept():
    first, hit, limited = (at_line(SAMPLE, line).use for line in (1, 2, 4))
    assert (first.reported_cost, first.duration_ms) == (Decimal("0.00225"), 2750.0)
    assert (hit.gateway_cache_hit, hit.billable) == (True, False)
    assert (limited.status, limited.error_origin) == ("error", "gateway")
    assert at_line(SAMPLE, 1).place.user_id == "mia"
