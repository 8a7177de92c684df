"""The laws of counting once: order, repeats and growth never change what was used."""

import json
from datetime import UTC, datetime
from itertools import permutations

import msgspec
import pytest

from ingest.formats import by_name
from ingest.formats.base import Counted, Options
from tests.formats.reading import Books, detected, read_sample, sample, told
from tests.formats.test_detection import NAMES


@pytest.mark.parametrize("name", NAMES)
def test_reading_a_file_twice_changes_nothing(name):
    once, twice = read_sample(name), read_sample(name) + read_sample(name)
    assert Books.of(twice) == Books.of(once)


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_records_changes_nothing(name):
    outcomes = read_sample(name)
    assert Books.of(reversed(outcomes)) == Books.of(outcomes)


def test_logs_of_one_call_meet_in_any_order():
    logs = [read_sample("litellm_payload/calls.jsonl"), read_sample("litellm_spend_logs/rows.csv")]
    books = [Books.of(o for log in order for o in log) for order in permutations(logs)]
    assert books[0] == books[1]
    assert len(books[0].events) == 3


def test_a_measured_file_that_grew_adds_only_its_new_lines():
    lines = sample("token_timing/run.jsonl").splitlines(keepends=True)
    before = Books.of(told("token_timing", b"".join(lines[:-2])))
    after = Books.of(told("token_timing", b"".join(lines)))
    assert before.events.keys() < after.events.keys()
    assert len(after.events) - len(before.events) == 2


def test_equal_measurements_of_one_run_are_told_apart():
    line = b'{"ttft_ms":98.0,"tokens":1,"total_ms":98.0}\n'
    assert len(Books.of(told("token_timing", line * 3)).events) == 3


def test_another_run_with_the_same_figures_is_another_run():
    line = b'{"ttft_ms":98.0,"tokens":1,"total_ms":98.0}\n'
    runs = [told("token_timing", line, options=assumed(run=name)) for name in ("a", "b")]
    assert len(Books.of(outcome for run in runs for outcome in run).events) == 2


def test_a_reader_that_was_killed_goes_on_from_its_saved_state():
    known = by_name("token_timing")
    body = sample("token_timing/run.jsonl")
    whole = told("token_timing", body)
    head, tail = body.split(b"\n\n")
    state = known.new_state()
    first = told("token_timing", head, state=state)
    saved = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=type(state))
    second = told("token_timing", tail, state=saved)
    assert Books.of(first + second).events.keys() == Books.of(whole).events.keys()


def test_options_fill_in_what_a_measurement_does_not_say():
    options = assumed(provider="vllm", model="llama", input_tokens=300)
    first, *_, last, failed = (
        o.records[0]
        for o in told("token_timing", sample("token_timing/run.jsonl"), options=options)
        if isinstance(o, Counted)
    )
    assert (first.use.provider, first.use.model) == ("vllm", "llama")
    assert first.use.counts.input_tokens == 300
    assert (first.use.purpose, first.use.usage_state) == ("benchmark", "reported")
    assert (first.place.started_at, first.place.time_quality) == (options.assumed_time, "assumed")
    assert first.restamps
    assert (last.use.model, last.use.counts.input_tokens) == ("llama-3.1-8b", 512)
    assert (last.place.started_at.hour, last.restamps) == (8, False)
    assert (failed.use.status, failed.use.error_type) == ("error", "timeout")
    assert failed.use.usage_state == "missing"


def test_doubtful_measurements_are_counted_with_a_warning():
    outcomes = read_sample("token_timing/run.jsonl")
    warned = {o.line: o.warnings for o in outcomes if isinstance(o, Counted) and o.warnings}
    assert warned == {7: ("likely_seconds",), 8: ("inconsistent_timing",)}


def test_a_stream_that_was_cut_off_keeps_what_it_had_reported():
    head = sample("anthropic_messages/stream.sse").split(b"event: message_delta")[0]
    use = Books.of(told("anthropic_messages", head, layout="sse")).one("msg_flow").use
    assert (use.status, use.counts.input_tokens) == ("cancelled", 302)
    head = sample("openai_chat/stream.sse").split(b"\n\n")[0]
    use = Books.of(told("openai_chat", head, layout="sse")).one("chatcmpl-flow").use
    assert (use.status, use.usage_state, use.counts.input_tokens) == ("cancelled", "missing", None)


def test_a_finished_stream_without_usage_is_still_a_request():
    head = b"\n\n".join(sample("openai_chat/stream.sse").split(b"\n\n")[:2])
    books = Books.of(told("openai_chat", head, layout="sse"))
    assert (books.requests, books.total("input_tokens")) == (1, None)
    assert books.one("chatcmpl-flow").use.usage_state == "missing"


def test_bare_chunk_lines_read_like_events():
    lines = sample("anthropic_messages/stream.sse").split(b"\n")
    bare = b"\n".join(line.removeprefix(b"data: ") for line in lines if b"data:" in line)
    found = detected(bare)
    assert (found.format.name, found.layout) == ("anthropic_messages", "sse")
    events = Books.of(told("anthropic_messages", bare, layout="sse")).events
    assert len(events) == 1
    assert Books.of(told("anthropic_messages", bare, layout="sse")).total("input_tokens") == 4356


def test_a_fallbacks_declined_call_is_a_part():
    body = json.loads(sample("anthropic_messages/message.json"))
    body["usage"]["iterations"] = [
        {"type": "message", "model": "claude-fable-5", "input_tokens": 106, "output_tokens": 1},
        {"type": "fallback_message", "input_tokens": 700, "output_tokens": 130},
    ]
    books = Books.of(told("anthropic_messages", json.dumps(body).encode()))
    assert books.one("msg_compacted", part=1).use.model == "claude-fable-5"
    assert books.total("input_tokens") == 806
    assert books.requests == 1


def assumed(**fields) -> Options:
    """Options with a time, as a command line would give them."""
    return Options(assumed_time=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), **fields)
