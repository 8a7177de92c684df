"""Bad records get a code and a line, cost no neighbour and take no time."""

import time

import pytest

from ingest.formats.base import LINE_LIMIT, Counted, Rejected
from ingest.formats.cutting import Layout
from tests.formats.reading import Books, told

GOOD = (
    b'{"started_at":"2026-04-07T08:00:00Z","id":"good-%d","model":"m",'
    b'"input_tokens":1,"output_tokens":1}'
)


def event(fields: bytes) -> bytes:
    """A native event with these fields besides its time."""
    return b'{"started_at":"2026-04-07T08:00:00Z","id":"bad",' + fields + b"}"


LINES = [
    ("line_too_long", b'{"x":"' + b"x" * LINE_LIMIT + b'"}'),
    ("not_json", b"not json"),
    ("not_json", b'{"a":1'),
    ("not_json", b'{"a":1}{"a":2}'),
    ("not_json", b'{"a":1,}'),
    ("not_json", b"{'a':1}"),
    ("not_json", b'{"a":1} // said'),
    ("not_json", b'\xef\xbb\xbf{"a":1}'),
    ("not_an_object", b"[1,2]"),
    ("not_an_object", b'"text"'),
    ("not_an_object", b"42"),
    ("not_an_object", b"null"),
    ("too_deep", event(b'"tags":' + b"[" * 1_100 + b"]" * 1_100)),
    ("too_deep", b"[" * 100_000),
    ("too_deep", b'{"a":' * 100_000),
    ("not_a_number", event(b'"input_tokens":NaN')),
    ("not_a_number", event(b'"input_tokens":Infinity')),
    ("not_a_number", event(b'"input_tokens":-Infinity')),
    ("number_out_of_range", event(b'"input_tokens":1e400')),
    ("number_out_of_range", event(b'"input_tokens":1E+999999')),
    ("number_out_of_range", event(b'"input_tokens":' + b"9" * 5_000)),
    ("number_out_of_range", event(b'"input_tokens":9223372036854775808')),
    ("number_out_of_range", event(b'"input_tokens":1000000000000')),
    ("number_out_of_range", event(b'"input_tokens":1' + b"0" * 30)),
    ("number_out_of_range", event(b'"input_tokens":1e30')),
    ("bad_count", event(b'"input_tokens":-1')),
    ("bad_count", event(b'"input_tokens":1.5')),
    ("bad_count", event(b'"input_tokens":true')),
    ("bad_count", event(b'"input_tokens":"1_000"')),
    ("bad_count", event('"input_tokens":"١٢٣"'.encode())),
    ("bad_count", event(b'"input_tokens":" 12"')),
    ("number_out_of_range", event(b'"input_tokens":1E-999999')),
    ("number_out_of_range", event(b'"input_tokens":1e-400')),
    ("bad_count", event(b'"input_tokens":10,"cache_read_input_tokens":11')),
    ("bad_count", event(b'"output_tokens":10,"reasoning_output_tokens":11')),
    ("bad_type", event(b'"input_tokens":[1]')),
    ("bad_type", event(b'"model":7')),
    ("too_many_digits", event(b'"reported_cost":0.123456789012345678901234567890')),
    ("too_many_digits", event(b'"reported_cost":10000000000000000000000000')),
    ("too_many_digits", event(b'"reported_cost":1E+999')),
    ("bad_amount", event(b'"reported_cost":1E+999999')),
    ("amount_out_of_range", event(b'"reported_cost":9223373,"reported_currency":"USD"')),
    ("bad_amount", event(b'"reported_cost":-1')),
    ("bad_amount", event(b'"reported_cost":"NaN"')),
    ("bad_amount", event('"reported_cost":"١"'.encode())),
    ("missing_field", event(b'"reported_cost":"1"')),
    ("nul_character", event(b'"model":"a\\u0000b"')),
    ("nul_character", event(b'"model":"\xc3\xa9\\u0000b"')),
    ("nul_character", event(b'"model":"a\0b"')),
    ("nul_character", b"\0" * 4_096),
    ("invalid_unicode", event(b'"model":"\\ud800"')),
    ("invalid_utf8", event(b'"model":"caf\xe9"')),
    ("duplicate_key", event(b'"input_tokens":1,"input_tokens":2')),
    ("duplicate_key", event(b'"model":"a","model":"b"')),
    ("text_too_long", event(b'"model":"' + b"m" * 201 + b'"')),
    ("text_too_long", event(b'"user_id":"' + b"m" * 100_000 + b'"')),
    ("too_many_fields", event(b'"tags":{' + b",".join(b'"%d":"x"' % n for n in range(65)) + b"}")),
    ("unknown_field", event(b'"__proto__":1')),
    ("unknown_value", event(b'"status":"fine"')),
    ("bad_time", b'{"started_at":"2026-04-07T08:00:00","id":"x"}'),
    ("bad_time", b'{"started_at":"2026-04-07","id":"x"}'),
    ("bad_time", b'{"started_at":"2026-W01-1T00:00:00Z","id":"x"}'),
    ("bad_time", b'{"started_at":"2026-04-07T08:00:60Z","id":"x"}'),
    ("bad_time", b'{"started_at":"2026-04-07T24:00:00Z","id":"x"}'),
    ("bad_time", b'{"started_at":"2026-04-07T08:00:00+25:00","id":"x"}'),
    ("bad_time", b'{"started_at":"2026-02-30T08:00:00Z","id":"x"}'),
    ("bad_time", b'{"started_at":"0000-01-01T08:00:00Z","id":"x"}'),
    ("bad_time", b'{"started_at":"9999-12-31T23:59:59-14:00","id":"x"}'),
    ("bad_time", b'{"started_at":"10000-01-01T00:00:00Z","id":"x"}'),
    ("bad_time", b'{"started_at":"infinity","id":"x"}'),
    ("bad_time", '{"started_at":"٢٠٢٦-04-07T08:00:00Z","id":"x"}'.encode()),
    ("bad_time", b'{"started_at":"1999-04-07T08:00:00Z","id":"x"}'),
]


@pytest.mark.parametrize(("code", "line"), LINES, ids=range(len(LINES)))
def test_a_bad_line_is_rejected_and_its_neighbours_are_counted(code, line):
    started = time.process_time()
    outcomes = told("native", GOOD % 1 + b"\r\n" + line + b"\n\n" + GOOD % 2)
    assert time.process_time() - started < 1
    before, bad, after = outcomes
    assert isinstance(bad, Rejected), bad
    assert (bad.line, bad.code) == (2, code)
    assert bad.offset == len(GOOD % 1) + 2
    assert len(bad.value) <= 80
    assert isinstance(before, Counted)
    assert isinstance(after, Counted)
    assert after.line == 4


@pytest.mark.parametrize(
    ("written", "expected"),
    [(b'"12"', 12), (b"12.0", 12), (b"1e3", 1000), (b"0", 0), (b"999999999999", 999999999999)],
)
def test_whole_numbers_are_counts_however_they_are_written(written, expected):
    (outcome,) = told("native", event(b'"input_tokens":' + written))
    assert outcome.records[0].use.counts.input_tokens == expected


def test_a_rejection_names_its_field():
    (outcome,) = told("native", event(b'"input_tokens":1e400'))
    assert outcome.field == "input_tokens"
    (outcome,) = told("native", event(b'"output_tokens":-5'))
    assert (outcome.field, outcome.value) == ("output_tokens", "-5")
    assert outcome.reason == "output_tokens = -5, expected a whole number from 0 to 999999999999"


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (b'"session_id":5', "session_id: Expected `str | null`, got `int`"),
        (
            b'"duration_ms":1e13',
            "duration_ms = 10000000000000.0, expected a number from 0 to 9999999999999",
        ),
    ],
)
def test_a_reason_says_which_field_and_what_is_expected(field, reason):
    (outcome,) = told("native", event(b'"input_tokens":1,' + field))
    assert outcome.reason == reason


def test_a_tag_without_a_key_is_none():
    (outcome,) = told("native", event(b'"input_tokens":1,"tags":{"":"x","env":"prod"}'))
    assert outcome.records[0].place.tags == (("env", "prod"),)


def test_every_bad_line_is_only_rejected_by_every_format():
    lines = b"\n".join(line for _, line in LINES)
    for name in ("claude_code", "litellm_payload", "openai_chat", "anthropic_messages"):
        outcomes = told(name, lines)
        assert len(outcomes) == len(LINES)
        assert Books.of(outcomes).total("input_tokens") is None


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (b"1", "column_mismatch"),
        (b"1,2,3,4,5,6", "column_mismatch"),
        (b'a,"open,1,2026-04-07 08:00:00,1', "unclosed_quote"),
        (b'a,"b"c,1,2026-04-07 08:00:00,1', "bad_csv"),
        (b"a\0,1,1,2026-04-07 08:00:00,1", "nul_character"),
        (b"caf\xe9,1,1,2026-04-07 08:00:00,1", "invalid_utf8"),
        (b'"' + b"x" * 140_000 + b'",1,1,2026-04-07 08:00:00,1', "bad_csv"),
        (b"x" * (LINE_LIMIT + 10), "line_too_long"),
        (b'a,"1,5",1,2026-04-07 08:00:00,1', "bad_amount"),
        (b"a,1,1.5,2026-04-07 08:00:00,1", "bad_count"),
    ],
)
def test_a_bad_row_is_rejected_and_its_neighbours_are_counted(row, code):
    head = b"request_id,spend,prompt_tokens,startTime,completion_tokens\n"
    good = b"%d,0.5,10,2026-04-07 08:00:00,1\n"
    body = head + good % 1 + row + b"\n" + good % 2
    before, bad, after = told("litellm_spend_logs", body, layout=Layout.CSV)
    assert (bad.line, bad.code) == (3, code)
    assert isinstance(before, Counted)
    assert isinstance(after, Counted)
