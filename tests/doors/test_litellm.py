"""LiteLLM's generic_api callback: its three shapes of body, its empty ones and its test button."""

import json

import pytest

from accounting.models import Import, UsageEvent
from tests.ingest.conftest import counted, only_import, read_all

JSON = "application/json"  # what LiteLLM says of all three shapes


def payload(number, **more):
    """A StandardLoggingPayload: 100 input and 10 output tokens."""
    told = {
        "id": f"chatcmpl-{number}",
        "trace_id": f"trace-{number}",
        "call_type": "acompletion",
        "cache_hit": None,
        "stream": False,
        "status": "success",
        "custom_llm_provider": "openai",
        "response_cost": 0.00035,
        "startTime": 1772445600.0 + number,
        "endTime": 1772445601.5 + number,
        "completionStartTime": 1772445601.5 + number,
        "model": "gpt-4o",
        "metadata": {"user_api_key_alias": "shop", "usage_object": {}},
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "total_tokens": 110,
        "request_tags": [],
        "end_user": "",
        "messages": [{"role": "user", "content": "Hey, how's it going?"}],
        "error_str": None,
    }
    return {**told, **more}


def tried(**more):
    """What arrives when somebody presses LiteLLM's test button."""
    # The call of /health/services: no request, and yet it reports tokens.
    named = {"model": "litellm-mock-response-model", "end_user": "litellm:/health/services"}
    return payload(0, response_cost=0.0, prompt_tokens=10, completion_tokens=20, **named, **more)


ONE, TWO = json.dumps(payload(1)), json.dumps(payload(2))
BODIES = {
    "json_array": [f"[{ONE}, {TWO}]"],
    "ndjson": [f"{ONE}\n{TWO}"],
    "single": [ONE, TWO],
}


@pytest.mark.parametrize("log_format", BODIES)
def test_every_shape_of_body_counts_the_same(push, log_format):
    for body in BODIES[log_format]:
        assert push(body.encode(), content_type=JSON).status_code == 202
    read_all()
    assert counted() == (2, 200)
    assert set(Import.objects.values_list("format", flat=True)) == {"litellm_payload"}


def test_a_batch_that_is_sent_again_in_another_shape_counts_once(push):
    for bodies in BODIES.values():
        for body in bodies:
            push(body.encode(), content_type=JSON)
    read_all()
    assert counted() == (2, 200)


@pytest.mark.parametrize("body", ["[]", "{}", "[ ]", "null", "[null]", "[{}, null]", ""])
def test_an_empty_batch_is_fine_and_keeps_nothing(push, body):
    answer = push(body.encode(), content_type=JSON)
    assert (answer.status_code, answer.json()["state"]) == (200, "empty")
    assert "nothing was kept" in answer.json()["reason"]
    assert not Import.objects.exists()


@pytest.mark.parametrize(
    "model", ["litellm-mock-response-model", "openai/litellm-mock-response-model"]
)
@pytest.mark.parametrize("is_array", [True, False])
def test_the_test_button_is_answered_and_keeps_nothing(push, model, is_array):
    told = tried() | {"model": model}
    answer = push(json.dumps([told] if is_array else told).encode(), content_type=JSON)
    assert (answer.status_code, answer.json()["state"]) == (200, "empty")
    assert not Import.objects.exists()


def test_the_test_button_among_real_calls_costs_nothing(push):
    body = json.dumps([payload(1), tried(), None, payload(2)])
    assert push(body.encode(), content_type=JSON).status_code == 202
    read_all()
    source = only_import()
    assert (source.recorded, source.skipped, source.rejected) == (2, 1, 1)
    assert counted() == (2, 200)


def test_a_mocked_answer_of_a_model_of_one_s_own_counts(push):
    push(json.dumps([payload(1, model="my-mock")]).encode(), content_type=JSON)
    read_all()
    assert UsageEvent.objects.get().model == "my-mock"
