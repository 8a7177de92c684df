"""Reasons name the shape of a file and names in it, never its text: that may hold prompts."""

import pytest

from ingest.formats.base import Options, Rejected, UnreadableError
from ingest.formats.cutting import Layout
from ingest.formats.detection import detect
from ingest.formats.rows import header_names
from tests.formats.reading import MIDNIGHT, told

SECRET = "please tell nobody that Ada is ill"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (SECRET, "a text, neither JSON nor CSV"),
        (f"{SECRET};{SECRET};{SECRET}", "a table whose columns are not separated by commas"),
        (f"{SECRET},{SECRET} too\n1,2\n", "no known format: CSV with 2 columns"),
        ("Ada,ill\n1,2\n", "no known format: CSV with 2 columns"),
        (f'{{"{SECRET}": 1}}\n', "no known format: JSON with 1 key"),
        (f'{{"id": 1, "{SECRET}": 1}}\n', "no known format: JSON with 2 keys, among them id"),
        ('{"b": 1, "a": 1}\n', "no known format: JSON with 2 keys: a, b"),
        (f'{{"{SECRET}": tru', "JSON that is cut off or damaged at line 1, column 40"),
        (f'\n[{{"{SECRET}":\n1, oh', "JSON that is cut off or damaged at line 3, column 4"),
        (f'["{SECRET}"]', "no known format: JSON without an object"),
    ],
)
def test_a_file_of_no_known_format_is_told_by_its_shape(body, reason):
    with pytest.raises(UnreadableError) as error:
        detect(body.encode())
    assert error.value.reason == reason


def test_of_many_keys_a_few_are_named():
    body = ("{" + ",".join(f'"key_number_{n:02}": 1' for n in range(40)) + "}").encode()
    with pytest.raises(UnreadableError) as error:
        detect(body)
    assert error.value.reason == (
        "no known format: JSON with 40 keys, among them "
        "key_number_00, key_number_01, key_number_02, key_number_03"
    )


def test_a_column_that_stands_twice_is_named_only_by_a_name():
    with pytest.raises(UnreadableError) as error:
        header_names(b"model,model")
    assert error.value.reason == "two columns are named model"
    with pytest.raises(UnreadableError) as error:
        header_names(f"{SECRET},{SECRET}".encode())
    assert error.value.reason == "two columns are named (a text of 34 characters)"


def test_an_answer_under_a_long_key_does_not_show_the_key():
    answer = '{"id":"a","object":"chat.completion","choices":[],"usage":{}}'
    assert SECRET not in detect(f'{{"{SECRET}": {answer}}}\n'.encode()).reason


@pytest.mark.parametrize(
    "line",
    [
        f'{{"started_at":"2026-04-07T08:00:00Z","input_tokens":"{SECRET}"}}',
        f'{{"started_at":"{SECRET}","input_tokens":1}}',
        f'{{"started_at":"2026-04-07T08:00:00Z","input_tokens":1,"status":"{SECRET}"}}',
        f'{{"started_at":"2026-04-07T08:00:00Z","input_tokens":1,"duration_ms":"{SECRET}"}}',
        f'{{"started_at":"2026-04-07T08:00:00Z","input_tokens":1,"reported_cost":"{SECRET}"}}',
        f'{{"started_at":"2026-04-07T08:00:00Z","{SECRET}":1,"{SECRET}":2}}',
        f'{{"started_at":"2026-04-07T08:00:00Z","{SECRET}":1}}',
    ],
)
def test_a_rejected_record_is_not_quoted(line):
    (outcome,) = told("native", line.encode(), options=Options(assumed_time=MIDNIGHT))
    assert isinstance(outcome, Rejected)
    assert "Ada" not in outcome.reason + outcome.value + outcome.field


@pytest.mark.parametrize(
    ("name", "layout", "body"),
    [
        (
            "otlp_traces",
            Layout.DOCUMENT,
            '{"resourceSpans":[{"resource":{"attributes":'
            + f'[{{"key":"{SECRET}","value":{{}}}},{{"key":"{SECRET}","value":{{}}}}]}},'
            + '"scopeSpans":[{"spans":[{}]}]}]}',
        ),
        (
            "otlp_metrics",
            Layout.DOCUMENT,
            '{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"claude_code.token.usage",'
            + f'"sum":{{"aggregationTemporality":"{SECRET}","dataPoints":[{{"asInt":"1",'
            + '"timeUnixNano":"1775548800000000000"}]}}]}]}]}',
        ),
        ("vllm_bench", Layout.JSONL, f'{{"date":"{SECRET}","num_prompts":1}}'),
        ("prometheus", Layout.TEXT, f"vllm:prompt_tokens_total {SECRET}\n"),
    ],
)
def test_a_rejected_record_of_another_format_is_not_quoted(name, layout, body):
    for outcome in told(name, body.encode(), layout=layout):
        if isinstance(outcome, Rejected):
            assert "Ada" not in outcome.reason + outcome.value + outcome.field
