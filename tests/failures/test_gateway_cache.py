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


def test_b303_a_hit_is_told_apart_from_what_a_provider_cached():
    hit = payload(id="c1", prompt=1_000, output=100, cache_hit=True)
    usage = chat(prompt=1_000, output=100, cached_tokens=800)["usage"]
    found = read("litellm_payload", [hit | {"metadata": {"usage_object": usage}}])
    (record,) = found.events.values()
    assert (record.use.gateway_cache_hit, record.use.billable) == (True, False)
    assert (dollars(found), totals(found)) == ("0", (1, 1_000, 800, None, 100))
