"""Whatever a record holds, it is counted, skipped or rejected: nothing else ever comes out."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.domain.usage import content_digest
from ingest.formats.base import Counted, Rejected, UnreadableError
from ingest.formats.cutting import Layout
from tests.formats.reading import detected, read_sample, sample, told

#: Records of every kind, to be spoilt in one place.
KINDS = {
    "claude_code": "claude_code/projects/-srv-shop/s-1.jsonl",
    "litellm_payload": "litellm_payload/calls.jsonl",
    "openai_chat": "openai_chat/completion.json",
    "openai_responses": "openai_responses/responses.jsonl",
    "anthropic_messages": "anthropic_messages/message.json",
    "token_timing": "token_timing/run.jsonl",
    "native": "native/events.jsonl",
}
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False),
    st.text(max_size=300),
    st.sampled_from(["\0", "NaN", "1e999", "2026-02-30T00:00:00Z", "9" * 500, "\U0001f600"]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
)


def whole_records(name: str) -> list[dict]:
    """The sample's records that are JSON objects."""
    text = sample(KINDS[name]).decode()
    found = []
    for line in [text] if KINDS[name].endswith(".json") else text.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found.append(record)
    return found


def places(value: object) -> list[tuple]:
    """The path of each value inside a record."""
    inner = value.items() if isinstance(value, dict) else ()
    return [(key, *rest) for key, each in inner for rest in [(), *places(each)]]


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60, deadline=None)
@given(choices=st.data())
def test_a_spoilt_record_has_one_outcome(name, choices):
    record = choices.draw(st.sampled_from(whole_records(name)))
    *path, last = choices.draw(st.sampled_from(places(record)))
    inner = record
    for key in path:
        inner = inner[key]
    inner[last] = choices.draw(VALUES)
    (outcome,) = told(name, json.dumps(record).encode())
    if isinstance(outcome, Counted):
        assert all(content_digest(told_.use) for told_ in outcome.records)
    if isinstance(outcome, Rejected):
        assert outcome.code
        assert outcome.reason


@pytest.mark.parametrize("name", ["claude_code", "native", "token_timing", "openai_chat"])
@given(line=st.binary(max_size=200))
def test_any_bytes_are_read(name, line):
    for outcome in told(name, b" " + line):
        assert outcome.line >= 1


@given(body=st.binary(max_size=300), layout=st.sampled_from(Layout))
def test_any_file_is_read_or_refused_as_a_whole(body, layout):
    for name in ("anthropic_messages", "openai_responses", "litellm_spend_logs"):
        with suppress(UnreadableError):
            told(name, body, layout=layout)


@given(head=st.binary(max_size=300), sign=st.sampled_from([b"", b"{", b"[", b"data: ", b"a,b\n"]))
def test_any_beginning_is_told_or_refused(head, sign):
    with suppress(UnreadableError):
        assert detected(sign + head).reason


@pytest.mark.parametrize("name", KINDS)
def test_the_samples_themselves_are_counted(name):
    assert any(isinstance(outcome, Counted) for outcome in read_sample(KINDS[name]))
