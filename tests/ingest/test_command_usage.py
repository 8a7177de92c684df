"""Wrong usage of the commands, and sniff, which reads nothing into the books."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Import
from tests.ingest.conftest import event, ndjson


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
