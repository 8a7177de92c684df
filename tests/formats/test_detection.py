"""Formats are told by what a file holds; where two fit or none, nobody guesses."""

import pytest

from ingest.formats import FORMATS
from ingest.formats.base import SAMPLE_BYTES, UnreadableError
from ingest.formats.cutting import Layout
from ingest.formats.detection import detect
from tests.formats.reading import SAMPLES, detected, sample, told

#: Every golden sample; the first folder of its path is its format's name.
NAMES = sorted(str(path.relative_to(SAMPLES)) for path in SAMPLES.glob("*/**/*") if path.is_file())
LAYOUTS = {
    "litellm_payload/calls.jsonl": Layout.JSONL,
    "litellm_spend_logs/rows.csv": Layout.CSV,
    "openai_chat/completion.json": Layout.DOCUMENT,
    "openai_chat/stream.sse": Layout.SSE,
    "openai_responses/responses.jsonl": Layout.JSONL,
    "openai_responses/stream.sse": Layout.SSE,
    "anthropic_messages/message.json": Layout.DOCUMENT,
    "anthropic_messages/stream.sse": Layout.SSE,
    "token_timing/run.jsonl": Layout.JSONL,
}


@pytest.mark.parametrize("name", NAMES)
def test_each_sample_is_claimed_by_its_own_format_alone(name):
    found = detected(sample(name), name)
    assert found.format.name == name.partition("/")[0]
    assert found.reason


@pytest.mark.parametrize(("name", "layout"), LAYOUTS.items())
def test_each_sample_is_cut_the_way_it_lies(name, layout):
    assert detected(sample(name), name).layout is layout


NATIVE = b'{"started_at":"2026-03-02T10:00:00Z","id":"a","input_tokens":1}'
SPOILT = NATIVE.replace(b'"a"', b'"a\0"')


@pytest.mark.parametrize(
    ("head", "layout"),
    [
        (NATIVE + b"\n" + SPOILT, Layout.JSONL),
        (SPOILT + b"\n" + NATIVE, Layout.JSONL),
        (NATIVE + b"\n" + b"\0" * 4_096, Layout.JSONL),
        (SPOILT, Layout.JSONL),
        (b"[" + NATIVE + b"," + SPOILT + b"]", Layout.ARRAY),
    ],
)
def test_lines_that_nul_bytes_spoil_hide_no_format(head, layout):
    found = detect(head)
    assert (found.format.name, found.layout) == ("native", layout)


def test_every_format_has_a_golden_sample():
    assert {known.name for known in FORMATS} == {name.partition("/")[0] for name in NAMES}


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (b"", "empty_file"),
        (b" \n\n", "empty_file"),
        (b"\xef\xbb\xbf", "empty_file"),
        ('{"a":1}'.encode("utf-16"), "encoding_not_utf8"),
        ('{"a":1}'.encode("utf-16-le"), "encoding_not_utf8"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0 more than this" * 9, "binary_file"),
        (b"SQLite format 3\0\nCREATE TABLE a\nCREATE TABLE b\n", "binary_file"),
        (b"a\0,b\n1,2\n3,4\n", "binary_file"),
        (b"a,b\n1\0,2\n3\0,4\n", "binary_file"),
        (b'{"a":1}\r{"a":2}\r', "line_ends_cr"),
        (b"\x1f\x8b\x08", "nested_compression"),
        (b"Dear diary", "unknown_format"),
        (b"name;spend;tokens\n1;2;3\n", "unknown_format"),
        (b"city,mayor\nUlm,Ada\n", "unknown_format"),
        (b'{"city":"Ulm"}\n', "unknown_format"),
        (b"[" * 70_000, "too_deep"),
        (b'{"a":1e99999999999999999999', "not_json"),
        (b'{"data":[{"a":1e99999999999999999999', "not_json"),
        (b'{"a": tru', "not_json"),
        (bytes(byte for byte in range(1, 256) if byte not in b"\r\n") * 99, "binary_file"),
        (b"a,b\n" + bytes(range(1, 9)) * 9, "binary_file"),
        ("日期,模型\n1,2\n".encode("gbk"), "unknown_format"),
        (b"<html><body>502</body></html>", "unknown_format"),
    ],
)
def test_what_is_no_log_is_refused_as_a_whole(head, code):
    with pytest.raises(UnreadableError) as error:
        detect(head[:SAMPLE_BYTES])
    assert error.value.code == code


@pytest.mark.parametrize(
    "head",
    [
        b'{"started_at":"x","input_tokens":1,"ttft_ms":1,"output_tokens":2}',
        b'{"started_at":"x","input_tokens":1}\n{"ttft_ms":1,"output_tokens":2}',
    ],
)
def test_our_own_events_may_tell_when_their_first_token_came(head):
    assert detect(head).format.name == "native"


def test_a_file_that_two_formats_claim_is_refused():
    both = b'{"started_at":"x","input_tokens":1,"request_id":"r","spend":0,"startTime":"x","prompt_tokens":1}'
    with pytest.raises(UnreadableError) as error:
        detect(both)
    assert error.value.code == "ambiguous_format"
    assert "native" in error.value.reason
    assert "litellm_spend_logs" in error.value.reason


def test_bad_first_lines_do_not_hide_the_format():
    body = b"not json\n[1,2]\n" + sample("token_timing/run.jsonl")
    assert detected(body).format.name == "token_timing"
    assert detected(b"[1,2]\n" + sample("token_timing/run.jsonl")).layout is Layout.JSONL


def test_a_first_line_longer_than_the_sample_is_told_by_its_keys():
    line = b'{"sessionId":"s","isSidechain":false,"type":"user","message":{"content":"'
    found = detect((line + b"x" * SAMPLE_BYTES)[:SAMPLE_BYTES])
    assert (found.format.name, found.layout) == ("claude_code", Layout.JSONL)
    assert found.confidence < 1


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("anthropic_messages/message.json", '"content": ["'),
        ("openai_chat/completion.json", '"choices": ["'),
    ],
)
def test_a_document_longer_than_the_sample_is_told_by_its_keys(name, key):
    before = sample(name).decode().partition(key.rstrip('["'))[0]
    found = detect((before + key + "x" * SAMPLE_BYTES).encode()[:SAMPLE_BYTES])
    assert (found.format.name, found.layout) == (name.partition("/")[0], Layout.DOCUMENT)


@pytest.mark.parametrize(
    "event",
    [
        '{"id":"1","model":"m","input_tokens":5,"output_tokens":2}',
        '{"output_tokens":2}',
        '{"started_at":null,"input_tokens":5}',
        '{"started_at":"","input_tokens":5}',
    ],
)
def test_an_event_that_forgot_its_time_is_told_so_by_line(event):
    assert detect(event.encode()).format.name == "native"
    (outcome,) = told("native", f"\n{event}\n".encode())
    assert (outcome.line, outcome.code, outcome.field) == (2, "missing_field", "started_at")


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ('{"ttft_ms":40,"output_tokens":2,"model":"m"}', "token_timing"),
        ('{"id":"1","input_tokens":5,"time":"2026-04-07"}', None),
        ('{"id":"1","model":"m"}', None),
        ('{"input_tokens":5}\n{"input_tokens":5,"time":"2026-04-07"}', None),
    ],
)
def test_other_records_without_a_time_are_no_events(record, name):
    if name:
        assert detect(record.encode()).format.name == name
        return
    with pytest.raises(UnreadableError) as error:
        detect(record.encode())
    assert error.value.code == "unknown_format"


def test_a_wanted_format_is_not_looked_for():
    found = detect(b'{"tokens": 3}\n{"tokens": 4}\n', wanted="token_timing")
    assert (found.format.name, found.layout) == ("token_timing", Layout.JSONL)
    with pytest.raises(UnreadableError) as error:
        detect(b"a,b\n1,2\n", wanted="token_timing")
    assert error.value.code == "wrong_layout"
    with pytest.raises(UnreadableError) as error:
        detect(b"{}", wanted="nothing")
    assert error.value.code == "unknown_format"
