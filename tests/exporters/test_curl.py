"""curl, as docs/sending.md prints it."""

import json

import pytest

pytestmark = pytest.mark.slow


def test_one_request_is_counted_and_priced_before_the_answer(tallybook, run):
    told = json.loads(run("curl", 0))
    assert (told["recorded"], told["input_tokens"], told["output_tokens"]) == (1, 1200, 80)
    # 200 × 2.50 + 1000 × 1.25 + 80 × 10 dollars a million
    assert told["cost"] == {"USD": "0.00255"}
    assert tallybook.booked("try-20261102-120000") == [(1200, 1000, 80, "0.00255", "USD")]


def test_a_packed_log_that_is_sent_twice_is_one_import_and_counts_once(tallybook, run):
    first, second = (json.loads(run("curl", 1)) for _ in range(2))
    assert first["import_id"] == second["import_id"]
    assert [row[:3] for row in tallybook.booked("req-2")] == [(300, None, 20)]
    assert [row[:3] for row in tallybook.booked("req-3")] == [(500, None, 40)]
