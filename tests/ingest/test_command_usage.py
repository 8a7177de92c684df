"""Wrong usage of the commands, and sniff, which reads nothing into the books."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Import, UsageEvent
from tests.ingest.conftest import event, ndjson, timings


@pytest.mark.parametrize(
    "wrong",
    [
        ["--organization", "nobody"],
        ["--project", "nothing"],
        ["--format", "morse"],
        ["--set", "colour=red"],
        ["--set", "model"],
        ["--set", "started_at=yesterday"],
        ["--set", "started_at=2026-01-01T00:00:00"],
        ["--set", "input_tokens=-3"],
        ["--set", "input_tokens=1.5"],
    ],
)
def test_wrong_usage_exits_2_and_reads_nothing(ingest, log, wrong):
    told, code = ingest(log("a.jsonl", ndjson(event(1))), *wrong)
    assert (told, code) == ([], 2)
    assert not Import.objects.exists()


def test_sniff_names_the_format(log):
    out = StringIO()
    path = log("a.jsonl", ndjson(event(1)))
    call_command("sniff", str(path), "--json", stdout=out)
    told = json.loads(out.getvalue())
    assert list(told) == ["path", "format", "confidence", "reason"]
    assert (told["path"], told["format"], told["confidence"]) == (str(path), "native", 1)


def test_sniff_exits_1_for_an_unknown_file(log):
    out = StringIO()
    with pytest.raises(CommandError) as raised:
        call_command("sniff", str(log("a.txt", b"hello\n")), "--json", stdout=out)
    assert raised.value.returncode == 1
    assert json.loads(out.getvalue())["format"] is None


@pytest.mark.parametrize("asked", ["codex", "claude_code", "litellm_payload", "openai_chat"])
def test_a_file_that_is_not_of_the_format_that_was_asked_for_is_refused(ingest, log, asked):
    (told, total), code = ingest(log("a.jsonl", ndjson(event(1), event(2))), "--format", asked)
    assert (told["state"], told["lines"], total["state"], code) == ("refused", 0, "refused", 1)
    [rejection] = told["rejections"]
    assert (rejection["line"], rejection["code"]) == (None, "not_this_format")
    assert f"({asked})" in rejection["reason"]
    assert not UsageEvent.objects.exists()


def test_a_format_that_was_asked_for_reads_what_it_would_not_have_recognised(ingest, log):
    path = log("a.jsonl", b'{"tokens": 3, "total_ms": 40}\n{"tokens": 4, "total_ms": 50}\n')
    (told, _), code = ingest(path)
    assert (told["rejections"][0]["code"], code) == ("unknown_format", 1)
    (told, _), code = ingest(path, "--format", "token_timing")
    assert (told["state"], told["recorded"], code) == ("done", 2, 0)


def test_a_log_of_the_format_that_was_asked_for_may_hold_no_usage(ingest, log):
    line = {"type": "user", "sessionId": "s-1", "uuid": "u", "timestamp": "2026-03-02T10:00:00Z"}
    path = log("a.jsonl", ndjson({**line, "message": {"role": "user", "content": "hi"}}))
    (told, _), code = ingest(path, "--format", "claude_code")
    assert (told["state"], told["skipped"], code) == ("done", 1, 0)


def test_files_of_a_folder_that_are_of_another_format_are_named_and_fail_nothing(
    ingest, log, tmp_path
):
    log("good.jsonl", ndjson(event(1)))
    log("timings.jsonl", timings(3))
    (told, _), code = ingest(tmp_path, "--format", "native")
    assert (told["state"], told["recorded"], told["rejected"], code) == ("done", 1, 0, 0)
    assert [one["code"] for one in told["rejections"]] == ["not_this_format"]
    (told, _), code = ingest(tmp_path, "--format", "codex")
    assert (told["state"], told["rejections"][0]["code"], code) == ("refused", "not_this_format", 1)
    assert told["rejections"][0]["reason"] == "none of its 2 files can be read as codex"


def test_an_empty_path_is_not_the_folder_one_is_in(ingest):
    assert ingest("") == ([], 2)
