"""Who answered is who is paid: each attempt stands by itself, a blocked one costs nothing."""

from itertools import permutations

from tests.failures.logs import attempt, dollars, message, payload, ratings, read, totals


def test_b255_a_request_costs_what_the_model_that_answered_costs():
    call = payload("flint", id="c1", prompt=400, output=260, model_group="opal")
    found = read("litellm_payload", [call])
    use = found.one("c1").use
    assert (dollars(found), use.request_model, use.response_model) == ("0.0036", "opal", "flint")


def test_b256_each_attempt_of_a_response_has_the_price_of_its_own_model():
    opal = {"input_tokens": 0, "cache_read_input_tokens": 560_000, "output_tokens": 300}
    blocked = {"input_tokens": 0, "output_tokens": 0}
    flint = {"input_tokens": 1_000, "output_tokens": 500}
    tries = [
        {"type": "message", "model": "opal", **opal},
        {"type": "fallback_message", "model": "opal", **blocked},
        {"type": "fallback_message", "model": "flint", **flint},
    ]
    body = message("flint", fresh=1_000, output=500, iterations=tries)
    found = read("anthropic_messages", [body])
    assert dollars(found) == "0.18"
    assert totals(found) == (1, 561_000, 560_000, 0, 800)
    assert [rating.cost for rating in ratings(found)] == [7_500_000_000, 172_500_000_000, 0]


def test_b256_attempts_that_a_gateway_logs_row_by_row():
    rows = [
        attempt("opal", id="a1", prompt=560_000, output=300),
        attempt("flint", id="a2", prompt=1_000, output=500, fallback_index=1),
        attempt("opal", id="a3", status="error", prompt=0, output=0, fallback_index=2),
    ]
    rows[0]["token_usage"]["prompt_tokens_details"] = {"cached_tokens": 560_000}
    found = read("bifrost", rows)
    assert (dollars(found), found.requests, found.errors) == ("0.18", 2, 1)


def test_b258_a_paid_fallback_is_paid_although_the_first_choice_was_free():
    rows = [
        attempt("gift", id="a1", status="error"),
        attempt(
            "opal", id="a2", prompt=1_000, output=100, fallback_index=1, parent_request_id="a1"
        ),
    ]
    found = read("bifrost", rows)
    assert (dollars(found), found.requests, found.errors) == ("0.0045", 1, 1)
    served = next(r for r in found.events.values() if r.use.status == "ok")
    assert (served.use.model, served.place.session_id) == ("opal", "a1")


def test_b260_rows_that_were_open_are_closed_by_their_own_id_in_any_order():
    opened = [attempt("flint", id=name, status="processing") for name in ("a", "b")]
    closed = [
        attempt("flint", id="b", prompt=200, output=20),
        attempt("opal", id="a", prompt=100, output=10),
    ]
    for order in permutations(opened + closed):
        found = read("bifrost", list(order))
        assert totals(found) == (2, 300, None, None, 30)
        models = {r.identity.gateway_request_id: r.use.model for r in found.events.values()}
        assert models == {"a": "opal", "b": "flint"}


def test_b261_a_reservation_is_settled_or_released_and_counted_as_neither():
    rows = [
        attempt("flint", id="try-1", status="processing", prompt=0, output=100),
        attempt("flint", id="try-1", status="error"),
        attempt("flint", id="try-2", status="processing", prompt=0, output=100),
        attempt("flint", id="try-2", prompt=0, output=80),
    ]
    for order in permutations(rows):
        found = read("bifrost", list(order))
        assert (found.total("output_tokens"), found.requests, found.errors) == (80, 1, 1)
