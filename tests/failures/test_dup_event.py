"""One request is one event, however many lines, files, spans and retries tell it."""

from itertools import permutations

import pytest

from accounting.domain.naming import dedupe_key
from tests.failures.logs import (
    Case,
    books,
    check,
    dollars,
    event,
    message,
    outcomes,
    read,
    rollout,
    span,
    totals,
    transcript,
)
from tests.formats.reading import Books


def counted(tokens):
    return {"input_tokens": tokens, "cached_input_tokens": 0, "output_tokens": 0}


WRITTEN = message(id="m1", fresh=4, output=1, cache_creation_input_tokens=15_000)
PARENT = span("p", operation="invoke_agent")
CHILD = span("c", parent="p")
CASES = [
    Case(
        id="B051 a reply on two lines, a text and a tool call",
        format="claude_code",
        log=[transcript(WRITTEN, uuid="u1"), transcript(WRITTEN, uuid="u2")],
        cost="0.056277",
        totals=(1, 15_004, 0, 15_000, 1),
    ),
    Case(
        id="B053 a message in the files of two sessions",
        format="claude_code",
        log=[transcript(message(id="m1", output=1_000), session=name) for name in ("a", "b")],
        cost="0.015",
        totals=(1, 0, 0, 0, 1_000),
    ),
    Case(
        id="B055 an unchanged total is written again",
        format="codex",
        log=rollout(
            (counted(130), counted(130)),
            (counted(130), counted(130)),
            (counted(200), counted(70)),
        ),
        cost="0.0005",
        totals=(2, 200, 0, None, 0),
    ),
    Case(
        id="B056 two more tellings of the first turn at other times",
        format="codex",
        log=rollout(*[(counted(1_500), counted(1_500))] * 3, (counted(3_300), counted(1_800))),
        cost="0.00825",
        totals=(2, 3_300, 0, None, 0),
    ),
    Case(
        id="B060 a parent span sums up its child",
        format="copilot_otel",
        log=[PARENT, CHILD],
        cost="0.0035",
        totals=(1, 1_000, None, None, 100),
    ),
    Case(
        id="B061 tokens and cost are those of the same rows",
        format="copilot_otel",
        log=[CHILD, PARENT],
        cost="0.0035",
        totals=(1, 1_000, None, None, 100),
    ),
    Case(
        id="B063 two instrumentations record one response",
        format="copilot_otel",
        log=[span("s1", response="r1"), span("s2", response="r1")],
        cost="0.0035",
        totals=(1, 1_000, None, None, 100),
    ),
    Case(
        id="B070 the last of three lines with one id tells the whole output",
        format="claude_code",
        log=[transcript(message(id="m1", fresh=10, output=n), uuid=f"u{n}") for n in (1, 40, 380)],
        cost="0.00573",
        totals=(1, 10, 0, 0, 380),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_request_is_counted_once(case):
    check(case)


def test_b058_a_session_that_was_resumed_and_compacted_many_times():
    lines = [transcript(message(id=f"m{n % 402}", output=10), uuid=f"u{n}") for n in range(2_453)]
    assert totals(read("claude_code", lines)) == (402, 0, 0, 0, 4_020)


def test_b058_messages_without_an_id_stay_apart():
    lines = [transcript(message(id="", fresh=n, output=10), uuid=f"u{n}") for n in (1, 2)] * 3
    assert totals(read("claude_code", lines)) == (2, 3, 0, 0, 20)


def test_b065_identity_does_not_depend_on_the_order_of_delivery():
    first, second = (
        event(started_at=f"2026-04-07T08:00:0{n}Z", input_tokens=5, output_tokens=1) for n in (1, 2)
    )
    told = outcomes("native", [first, second, second, first])
    assert Books.of(told).requests == 2
    assert Books.of(told) == Books.of(outcomes("native", [second, first]))


def test_b066_a_retry_under_the_same_id_is_no_second_request():
    payload = {"input_tokens": 900, "output_tokens": 100}
    again = read("native", [event("opal", id="a1", **payload), event("opal", id="a1", **payload)])
    assert (again.requests, dollars(again)) == (1, "0.0042")
    # Under an id of its own nothing tells a retry from a second request.
    assert read("native", [event(id=name, **payload) for name in ("a1", "a2")]).requests == 2


def test_b066_without_an_id_equal_events_are_one():
    same = event(input_tokens=900, output_tokens=100)
    assert read("native", [same, dict(reversed(same.items()))]).requests == 1


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_read_again_nothing_is_added(case):
    once = outcomes(case.format, case.log)
    assert Books.of(once + outcomes(case.format, case.log)) == books(case)


def test_b063_spans_of_one_response_have_one_key_in_any_order():
    lines = [span("s1", response="r1"), span("s2", response="r1")]
    for order in permutations(lines):
        (found,) = read("copilot_otel", list(order)).events.items()
        assert found[0] == dedupe_key(1, found[1].identity)
