"""Cached tokens are part of the input or stand beside it; either way each token is priced once."""

import pytest

from tests.failures.logs import (
    AT,
    Case,
    chat,
    check,
    chunk,
    dollars,
    event,
    message,
    outcomes,
    ratings,
    read,
    rollout,
    stream,
)

COPILOT = {
    "id": "e1",
    "timestamp": AT,
    "type": "assistant.usage",
    "data": {
        "model": "flint",
        "inputTokens": 7_222,
        "outputTokens": 298,
        "cacheReadTokens": 7_040,
        "cacheWriteTokens": 0,
        "apiCallId": "chatcmpl-1",
    },
}
CONVERSE = {
    "schemaType": "ModelInvocationLog",
    "timestamp": AT,
    "requestId": "rq-1",
    "operation": "Converse",
    "modelId": "opal",
    "input": {
        "inputTokenCount": 3,
        "cacheReadInputTokenCount": 7_900,
        "cacheWriteInputTokenCount": 357,
    },
    "output": {
        "outputTokenCount": 440,
        "outputBodyJson": {
            "usage": {
                "inputTokens": 3,
                "outputTokens": 440,
                "totalTokens": 8_700,
                "cacheReadInputTokens": 7_900,
                "cacheWriteInputTokens": 357,
            }
        },
    },
}
OBSERVATION = {
    "id": "o1",
    "trace_id": "t1",
    "project_id": "p",
    "type": "GENERATION",
    "start_time": AT,
    "end_time": AT,
    "provided_model_name": "opal",
    "usage_details": {
        "input": 3,
        "input_cache_read": 13_216,
        "input_cache_creation": 25,
        "output": 12,
        "total": 13_256,
    },
}
GENERATION = {
    "data": {
        "id": "gen_1",
        "created_at": AT,
        "model": "opal",
        "provider_name": "testing",
        "native_tokens_prompt": 9_844,
        "native_tokens_completion": 0,
        "native_tokens_cached": 9_842,
    }
}
TURN = {
    "type": "turn.completed",
    "usage": {"input_tokens": 7_000, "cached_input_tokens": 6_000, "output_tokens": 100},
}
TOTAL = {
    "input_tokens": 117_000,
    "cached_input_tokens": 115_000,
    "output_tokens": 200,
    "total_tokens": 117_200,
}
CASES = [
    Case(
        id="B001 the text tokens repeat the whole prompt",
        format="openai_chat",
        log=[chat(prompt=10_000, output=200, text_tokens=10_000, cached_tokens=8_000)],
        cost="0.017",
        totals=(1, 10_000, 8_000, 0, 200),
    ),
    Case(
        id="B003 all but one token were cached",
        format="openai_chat",
        log=[chat(prompt=616, output=10, text_tokens=616, cached_tokens=615, audio_tokens=0)],
        cost="0.00087125",
        totals=(1, 616, 615, 0, 10),
    ),
    Case(
        id="B005 tokens are subtracted from tokens, never prices",
        format="openai_chat",
        log=[chat(prompt=1_000, cached_tokens=800)],
        cost="0.0015",
        totals=(1, 1_000, 800, 0, 0),
    ),
    Case(
        id="B006 what was written to the cache is in an inclusive prompt",
        format="native",
        log=[event(input_tokens=5_000, cache_write_input_tokens=4_000, output_tokens=0)],
        cost="0.018",
        totals=(1, 5_000, None, 4_000, 0),
    ),
    Case(
        id="B008 the input is not the prompt plus its cached part",
        format="openai_chat",
        log=[chat(prompt=17_900, output=5, cached_tokens=17_800)],
        cost="0.02255",
        totals=(1, 17_900, 17_800, 0, 5),
    ),
    Case(
        id="B010 reads and writes both leave the fresh input",
        format="native",
        log=[
            event(
                input_tokens=3_000,
                cache_read_input_tokens=1_000,
                cache_write_input_tokens=1_500,
                output_tokens=0,
            )
        ],
        cost="0.007425",
        totals=(1, 3_000, 1_000, 1_500, 0),
    ),
    Case(
        id="B011 the total proves that the cached tokens are inside",
        format="codex",
        log=rollout((TOTAL, TOTAL)),
        cost="0.15075",
        totals=(1, 117_000, 115_000, None, 200),
    ),
    Case(
        id="B013 a source without the cached part may read more than its input",
        format="anthropic_messages",
        log=[message(fresh=56_000, output=87, cache_read_input_tokens=73_000)],
        cost="0.191205",
        totals=(1, 129_000, 73_000, 0, 87),
    ),
    Case(
        id="B015 the output is what it says, not what the total leaves over",
        format="bedrock_invocation",
        log=[CONVERSE],
        cost="0.01031775",
        totals=(1, 8_260, 7_900, 357, 440),
    ),
    Case(
        id="B016 three fresh tokens beside a large cache",
        format="langfuse_observations",
        log=[OBSERVATION],
        cost="0.00424755",
        totals=(1, 13_244, 13_216, 25, 12),
    ),
    Case(
        id="B018 the buckets are kept, their sum is derived",
        format="anthropic_messages",
        log=[
            message(
                fresh=100,
                output=500,
                cache_read_input_tokens=90_000,
                cache_creation_input_tokens=2_000,
            )
        ],
        cost="0.0423",
        totals=(1, 92_100, 90_000, 2_000, 500),
    ),
    Case(
        id="B020 a cached price that is there is used",
        format="openai_chat",
        log=[chat(prompt=44_000, cached_tokens=41_000)],
        cost="0.05875",
        totals=(1, 44_000, 41_000, 0, 0),
    ),
    Case(
        id="B023 a hot call is cheaper than the cold one",
        format="openai_chat",
        log=[
            chat(id="cold", prompt=2_400, output=4, cached_tokens=0),
            *(chat(id=f"hot-{n}", prompt=2_400, output=4, cached_tokens=2_300) for n in range(5)),
        ],
        cost="0.021865",
        totals=(6, 14_400, 11_500, 0, 24),
    ),
    Case(
        id="B025 a new agent's input contains what it read",
        format="copilot_sdk",
        log=[COPILOT],
        cost="0.012235",
        totals=(1, 7_222, 7_040, 0, 298),
    ),
    Case(
        id="B026 the exported input contains the cached part",
        format="vercel_gateway",
        log=[GENERATION],
        cost="0.0029586",
        totals=(1, 9_844, 9_842, None, 0),
    ),
    Case(
        id="B028 a source without the cached part has a price",
        format="anthropic_messages",
        log=[
            message(
                fresh=5,
                output=255,
                cache_creation_input_tokens=4_735,
                cache_read_input_tokens=0,
            )
        ],
        cost="0.02159625",
        totals=(1, 4_740, 0, 4_735, 255),
    ),
    Case(
        id="B030 input and output are the whole total",
        format="codex_exec",
        log=[{"type": "thread.started", "thread_id": "t-1"}, TURN],
        totals=(1, 7_000, 6_000, 0, 100),
        cost=None,  # the output names no model
    ),
    Case(
        id="B031 two fresh tokens a turn, however often the rest is read again",
        format="native",
        log=[
            event(
                id=f"turn-{n}",
                input_tokens=prompt,
                cache_read_input_tokens=read_,
                cache_write_input_tokens=written,
                output_tokens=0,
            )
            for n, (prompt, read_, written) in enumerate(
                [(18_973, 0, 18_971), (19_073, 18_971, 100), (19_173, 19_071, 100)]
            )
        ],
        cost="0.08332185",
        totals=(3, 57_219, 38_042, 19_171, 0),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_cached_token_is_priced_once(case):
    check(case)


def test_b013_more_cached_than_an_inclusive_prompt_is_refused_not_subtracted():
    (refused,) = outcomes("openai_chat", [chat(prompt=56_000, output=87, cached_tokens=73_000)])
    assert refused.code == "bad_count"


def test_b015_the_output_alone():
    (rating,) = ratings(read("bedrock_invocation", [CONVERSE]))
    assert rating.cost_output == 6_600_000_000


def test_b021_a_stream_costs_what_its_body_costs():
    usage = chat(prompt=5_000, output=20, cached_tokens=4_800)["usage"]
    streamed = stream(chunk(finish="stop"), chunk(usage=usage, choices=False))
    body = read("openai_chat", [chat(prompt=5_000, output=20, cached_tokens=4_800)])
    assert dollars(read("openai_chat", streamed)) == dollars(body) == "0.0067"


def test_b023_cold_and_hot():
    cold = read("openai_chat", [chat(prompt=2_400, output=4, cached_tokens=0)])
    hot = read("openai_chat", [chat(prompt=2_400, output=4, cached_tokens=2_300)])
    assert (dollars(cold), dollars(hot)) == ("0.00604", "0.003165")
