"""Requests whose cost is known, priced by the built-in list and the code behind `quote`."""

import pytest

from accounting.domain.quotes import answer, question_from
from bench.check_prices import listed_book

LATE = "2026-11-25T12:00:00+00:00"
BATCH = {"processing": "batch"}


@pytest.fixture(scope="module")
def listed():
    return listed_book()


@pytest.mark.parametrize(
    ("model", "at", "usage", "context", "state", "cost"),
    [
        ("openai/gpt-4o", LATE, (12_345, 0, 0, 0, 678), {}, "priced", "0.0376425"),
        ("openai/gpt-5", LATE, (10_000, 8_192, 0, 0, 500), {}, "priced", "0.008284"),
        (
            "anthropic/claude-haiku-4-5",
            LATE,
            (50_000, 20_000, 10_000, 4_000, 900),
            {},
            "priced",
            "0.042",
        ),
        # The band begins above 200,000 tokens of input and prices the whole request.
        ("anthropic/claude-sonnet-4-5", LATE, (200_000, 0, 0, 0, 1_000), {}, "priced", "0.615"),
        ("anthropic/claude-sonnet-4-5", LATE, (200_001, 0, 0, 0, 0), {}, "priced", "1.200006"),
        (
            "anthropic/claude-sonnet-4-5",
            LATE,
            (200_001, 100_000, 50_000, 20_000, 1_000),
            {},
            "priced",
            "0.847506",
        ),
        # xAI's band includes its threshold: the list holds one token less.
        ("x-ai/grok-4.5", LATE, (199_998, 0, 0, 0, 1_000), {}, "priced", "0.405996"),
        ("x-ai/grok-4.5", LATE, (200_000, 0, 0, 0, 1_000), {}, "priced", "0.812"),
        # Eight in the morning in Shanghai is still the day before in UTC.
        ("openai/o3", "2025-06-10T07:59:00+08:00", (10**6, 0, 0, 0, 0), {}, "priced", "10"),
        ("openai/o3", "2025-06-09T20:00:00-04:00", (10**6, 0, 0, 0, 0), {}, "priced", "2"),
        # DeepSeek's peak: a Wednesday, a Saturday, and a day before there was one.
        (
            "deepseek/deepseek-v4-flash",
            "2026-11-25T03:59:59Z",
            (10**6, 400_000, 0, 0, 10**5),
            {},
            "priced",
            "0.3024",
        ),
        (
            "deepseek/deepseek-v4-flash",
            "2026-11-28T02:00:00Z",
            (10**6, 0, 0, 0, 10**5),
            {},
            "priced",
            "0.21",
        ),
        (
            "deepseek/deepseek-v4-flash",
            "2026-01-15T02:00:00Z",
            (10**6, 0, 0, 0, 0),
            {},
            "priced",
            "0.14",
        ),
        ("openai/gpt-5", LATE, (100_000, 40_000, 0, 0, 5_000), BATCH, "priced", "0.065"),
        (
            "google/gemini-2.5-pro",
            LATE,
            (200_001, 0, 0, 0, 1_000),
            BATCH,
            "priced",
            "0.25750125",
        ),
        # Anthropic's batch price is in the list from 2026-10-14 on; before, standard is assumed.
        (
            "anthropic/claude-haiku-4-5",
            "2026-10-13T23:59:59Z",
            (10**6, 0, 0, 0, 0),
            BATCH,
            "assumed",
            "1",
        ),
        (
            "openai/gpt-5",
            LATE,
            (100_000, 0, 0, 0, 5_000),
            {"service_tier": "bogus"},
            "assumed",
            "0.175",
        ),
        ("openai/gpt-4o", "2026-11-25T12:00:00Z", (0, 0, 0, 0, 0), {}, "free", "0"),
    ],
)
def test_a_known_cost(listed, model, at, usage, context, state, cost):
    provider, _, name = model.partition("/")
    names = (
        "input_tokens",
        "cache_read_input_tokens",
        "cache_write_input_tokens",
        "cache_write_1h_input_tokens",
        "output_tokens",
    )
    question = {
        "provider": provider,
        "model": name,
        "at": at,
        "usage": dict(zip(names, usage, strict=True)),
        "context": context,
    }
    told = answer(question_from(question), listed)
    assert (told["state"], told["cost"]) == (state, cost)


@pytest.mark.parametrize(
    ("model", "usage", "cost"),
    [
        (
            "openai/gpt-audio",
            {
                "input_tokens": 10_000,
                "input_audio_tokens": 6_000,
                "output_tokens": 2_000,
                "output_audio_tokens": 1_500,
            },
            "0.303",
        ),
        (
            "perplexity/sonar-deep-research",
            {
                "input_tokens": 1_000,
                "output_tokens": 9_000,
                "reasoning_output_tokens": 8_000,
                "output_citation_tokens": 200,
            },
            "0.0328",
        ),
        (
            "anthropic/claude-sonnet-4-5",
            {"input_tokens": 10_000, "output_tokens": 500, "web_search_requests": 3},
            "0.0675",
        ),
    ],
)
def test_a_known_cost_of_other_units(listed, model, usage, cost):
    provider, _, name = model.partition("/")
    question = {"provider": provider, "model": name, "at": LATE, "usage": usage}
    assert answer(question_from(question), listed)["cost"] == cost
