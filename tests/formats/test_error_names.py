"""Of an error a name is kept, never its text: tools write the prompt into it."""

import json

import pytest

from ingest.formats.base import Counted
from ingest.formats.cutting import Layout
from ingest.formats.error_names import error_name
from tests.formats.reading import sample, told

SECRET = "Ada is ill"
TRACE = "Traceback (most recent call last):\n  File 'serve.py', line 3, in post\n"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        (None, ""),
        (" \n", ""),
        ("timeout", "timeout"),
        ("rate_limit_exceeded", "rate_limit_exceeded"),
        ("HTTP 503", "HTTP 503"),
        ("Too Many Requests", "Too Many Requests"),
        ("TimeoutError", "TimeoutError"),
        (f"ValueError: bad prompt: {SECRET}", "ValueError"),
        (f"ValueError('{SECRET}')", "ValueError"),
        (f"{TRACE}aiohttp.client_exceptions.ClientPayloadError: 400\n", "ClientPayloadError"),
        (f"{TRACE}ValueError: the prompt was\n{SECRET}\nAda", "ValueError"),
        (f"{TRACE}KeyError: 'a'\n\nThe above …\n\n{TRACE}httpx.ReadTimeout", "ReadTimeout"),
        (f"ReadError: a\r\nPoolTimeout: {SECRET}\r\n", "PoolTimeout"),
        (f"{TRACE}{SECRET}", "_OTHER"),
        (SECRET, "_OTHER"),
        ("Ada", "Ada"),
        ("x" * 41, "_OTHER"),
        (f'{{"error": {{"message": "{SECRET}", "type": "BadError"}}}}', "_OTHER"),
        (f"{SECRET}Error", "_OTHER"),
        ("E" * 70 + "Error: too long for a class", "_OTHER"),
    ],
)
def test_only_a_name_is_kept(written, name):
    assert error_name(written) == name


def test_a_tool_may_have_a_better_word_for_an_error_without_a_name():
    assert error_name(SECRET, unnamed="-100") == "-100"


@pytest.mark.parametrize(
    ("name", "layout", "path", "old"),
    [
        ("vllm_bench", Layout.DOCUMENT, "runs.jsonl", "ClientPayloadError: 400"),
        ("sglang_bench", Layout.DOCUMENT, "runs.jsonl", "Connection reset"),
        ("llmperf", Layout.ARRAY, "individual_responses.json", "Too Many Requests"),
        ("guidellm", Layout.DOCUMENT, "benchmarks.json", "HTTP 503"),
        ("token_timing", Layout.JSONL, "run.jsonl", "timeout"),
    ],
)
def test_no_reader_keeps_the_text_of_an_error(name, layout, path, old):
    body = sample(f"{name}/{path}").decode()
    assert json.dumps(old)[1:-1] in body
    spoilt = body.replace(old, f"please tell nobody that {SECRET}")
    records = [
        record
        for outcome in told(name, spoilt.encode(), layout=layout)
        if isinstance(outcome, Counted)
        for record in outcome.records
        if record.use.status == "error"
    ]
    assert records
    assert "Ada" not in repr(records)
    assert all(record.use.error_type for record in records)
