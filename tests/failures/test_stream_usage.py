"""A stream that never told its usage used something: unknown is not nothing, and not free."""

import pytest

from tests.failures.logs import (
    AT,
    EPOCH,
    chunk,
    dollars,
    payload,
    ratings,
    read,
    stream,
    totals,
)


def test_b233_a_success_with_two_zeros_reported_nothing():
    rows = [
        payload(id="messages-stream", prompt=0, output=0, stream=True),
        payload(id="messages", prompt=42, output=2),
        payload(id="chat-stream", prompt=32, output=19, stream=True),
    ]
    found = read("litellm_payload", rows)
    silent = found.one("messages-stream").use
    assert totals(found) == (3, 74, None, None, 21)
    assert (silent.status, silent.usage_state, silent.counts.input_tokens) == (
        "ok",
        "missing",
        None,
    )
    assert [rating.state for rating in ratings(found)] == ["unpriced", "priced", "priced"]


@pytest.mark.parametrize("model", ["flint", "nobody-prices-this"])
def test_b235_without_its_last_event_a_stream_is_unpriced_whoever_prices_it(model):
    found = read("openai_chat", stream(chunk(model), chunk(model, finish="stop")))
    assert totals(found) == (1, None, None, None, None)
    assert dollars(found) is None
    assert [rating.state for rating in ratings(found)] == ["unpriced"]


def test_b236_what_a_client_that_left_would_have_used_is_not_billed():
    row = {
        "start_time": AT,
        "method": "POST",
        "response_code": 499,
        "duration": 900,
        "x-request-id": "r1",
        "gen_ai.request.model": "flint",
        "gen_ai.provider.name": "default/testing/route/a/rule/0/ref/0",
        "gen_ai.usage.input_tokens": None,
        "gen_ai.usage.output_tokens": None,
        "estimated_output": 900,
    }
    found = read("envoy", [row])
    (record,) = found.events.values()
    assert (record.use.status, record.use.usage_state) == ("error", "missing")
    assert (found.total("output_tokens"), dollars(found)) == (None, "0")


def test_b236_the_text_of_an_error_is_not_counted():
    error = {"error": {"message": "upstream broke off", "type": "server_error"}, "id": "chatcmpl-1"}
    found = read("openai_chat", stream(chunk(), {**chunk(), **error}))
    (record,) = found.events.values()
    assert (record.use.counts.output_tokens, record.use.usage_state) == (None, "missing")


def test_b238_a_backend_that_never_tells_its_usage_shows_in_the_share_of_missing():
    told = chunk(id="b", usage={"prompt_tokens": 5, "completion_tokens": 2}, finish="stop")
    silent = chunk(id="a", finish="stop")
    assert "usage" not in silent
    found = read("openai_chat", stream(silent, told))
    states = sorted(record.use.usage_state for record in found.events.values())
    assert states == ["missing", "reported"]
    assert totals(found) == (2, 5, None, None, 2)


def test_the_last_chunk_tells_the_usage_of_the_whole_stream():
    usage = {"prompt_tokens": 1_000, "completion_tokens": 100}
    found = read("openai_chat", stream(chunk(), chunk(usage=usage, choices=False)))
    assert dollars(found) == "0.0035"
    assert next(iter(found.events.values())).place.started_at.timestamp() == EPOCH
