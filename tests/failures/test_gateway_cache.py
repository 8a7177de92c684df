"""An answer from a gateway's own cache was not bought: its tokens are known, its price is nothing."""

from tests.failures.logs import chat, dollars, event, payload, ratings, read, totals


def test_b300_a_hit_costs_nothing_and_keeps_its_tokens():
    found = read("litellm_payload", [payload(prompt=1_000, output=100, cache_hit=True)])
    (rating,) = ratings(found)
    assert (rating.state, rating.cost) == ("not_billable", 0)
    assert totals(found) == (1, 1_000, None, None, 100)


def test_b301_the_cost_of_the_first_call_is_not_paid_again():
    calls = [
        payload(id="c1", prompt=1_000, output=100, response_cost=0.0035),
        payload(id="c1", prompt=1_000, output=100, response_cost=0.0035, cache_hit=True)
        | {"startTime": 1775548900, "endTime": 1775548900},
    ]
    found = read("litellm_payload", calls)
    assert (found.requests, dollars(found)) == (2, "0.0035")
    assert [str(record.use.reported_cost) for record in found.events.values()] == ["0.0035", "0"]


def test_b303_a_hit_is_no_hit_in_the_providers_cache():
    hit = event("flint", id="h1", input_tokens=1_000, output_tokens=100, gateway_cache_hit=True)
    found = read("native", [hit])
    assert (dollars(found), found.total("cache_read_input_tokens")) == ("0", None)


def test_b303_cached_tokens_of_the_stored_answer_stay_with_its_first_request():
    rows = [payload(id="c1", prompt=1_000, output=100, cache_hit=True)]
    rows[0]["metadata"] = {
        "usage_object": chat(prompt=1_000, output=100, cached_tokens=800)["usage"],
    }
    found = read("litellm_payload", rows)
    assert totals(found) == (1, 1_000, None, None, 100)
