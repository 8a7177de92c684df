"""Reasoning is output: inside it where the source says so, added where it stands beside it."""

import pytest

from tests.failures.logs import AT, EPOCH, Case, books, chat, check


def response(prompt, output, *, total=None, **details):
    usage = {"input_tokens": prompt, "output_tokens": output, "output_tokens_details": details}
    if total is not None:
        usage["total_tokens"] = total
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": EPOCH,
        "status": "completed",
        "model": "flint",
        "usage": usage,
    }


def thought(answer, thoughts):
    """A chat of Gemini CLI, whose output leaves the thoughts out."""
    tokens = {"input": 0, "output": answer, "cached": 0, "thoughts": thoughts, "tool": 0}
    tokens["total"] = answer + thoughts
    head = {"sessionId": "c1", "projectHash": "p", "startTime": AT, "lastUpdated": AT}
    line = {"id": "m1", "timestamp": AT, "type": "gemini", "model": "flint", "tokens": tokens}
    return [head, line]


CASES = [
    Case(
        id="B215 the total proves that reasoning is inside the output",
        format="openai_responses",
        log=[response(1_000, 600, total=1_600, reasoning_tokens=250)],
        cost="0.0085",
        totals=(1, 1_000, None, None, 600),
    ),
    Case(
        id="B216 a bill has no line for reasoning beside the output",
        format="openai_chat",
        log=[chat(output=500, reasoning=400)],
        cost="0.005",
        totals=(1, 0, None, None, 500),
    ),
    Case(
        id="B218 thoughts beside the answer are output",
        format="gemini_cli",
        log=thought(6, 190),
        cost="0.00196",
        totals=(1, 0, 0, 0, 196),
    ),
    Case(
        id="B220 the output is not the answer plus what it contains",
        format="openai_chat",
        log=[chat(output=100, reasoning=60)],
        cost="0.001",
        totals=(1, 0, None, None, 100),
    ),
    Case(
        id="B221 reasoning inside the text of a real-time answer",
        format="openai_responses",
        log=[response(0, 29, text_tokens=29, reasoning_tokens=19)],
        cost="0.00029",
        totals=(1, 0, None, None, 29),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_reasoning_is_priced_once(case):
    check(case)


def test_reasoning_is_known_beside_the_output_that_contains_it():
    assert [books(case).total("reasoning_output_tokens") for case in CASES] == [
        250,
        400,
        190,
        60,
        19,
    ]
