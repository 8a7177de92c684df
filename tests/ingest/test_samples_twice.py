"""Golden samples of many kinds through the command, into real books, twice: the second adds nothing."""

import json

import pytest

from accounting.models import Import, Run, UsageEvent, UsageHour
from accounting.services.rollups import differences
from tests.formats.reading import SAMPLES
from tests.ingest.conftest import is_conserved

FOLDERS = [
    "claude_code",  # copies in several files, parts
    "codex",  # totals, forks, an archived copy
    "cursor_csv",  # rows without ids
    "litellm_spend_logs",  # a CSV of a gateway
    "openai_chat",  # bodies and streams
    "opencode",  # one file a message, and database rows
    "newapi",  # pages, refunds
    "token_timing",  # benchmark rows without times
    "gemini_cli",  # documents and rewritten lines
]
SUMS = (
    "requests",
    "errors",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
)


def contents(model):
    """Every row's content, without what the database gives it."""
    given = {"id", "import_id", "source_import_id", "created_at", "updated_at"}
    rows = [
        {name: value for name, value in row.items() if name not in given}
        for row in model.objects.values()
    ]
    return sorted(rows, key=str)


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_sample_read_twice_stands_once_in_the_books(ingest, books, folder):
    path = SAMPLES / folder
    (first, _), _ = ingest(path)
    events, hours = contents(UsageEvent), contents(UsageHour)
    assert first["state"] == "done"
    assert events

    (second, total), code = ingest(path)
    assert code == 0
    assert (second["recorded"], second["updated"]) == (0, 0)
    assert all(not told[name] for told in (second, total) for name in SUMS)
    assert second["lines"] == first["lines"]
    assert (contents(UsageEvent), contents(UsageHour)) == (events, hours)
    assert all(map(is_conserved, Import.objects.all()))
    assert not any(differences(organization_id=books.pk).values())


def test_all_of_them_together_are_the_sum_of_each(ingest):
    paths = [SAMPLES / folder for folder in FOLDERS]
    (*each, total), _ = ingest(*paths)
    assert total["requests"] == sum(told["requests"] for told in each)
    (*_, again), _ = ingest(*reversed(paths))
    assert (again["recorded"], again["updated"], again["requests"]) == (0, 0, 0)


def test_a_results_file_to_which_a_run_was_appended_adds_that_run_alone(ingest, log):
    lines = (SAMPLES / "vllm_bench/runs.jsonl").read_bytes().splitlines(keepends=True)
    one = json.loads(lines[0])
    runs = [
        json.dumps({**one, "date": f"20260407-08{minute}00", "label": f"run {minute}"}).encode()
        + b"\n"
        for minute in (10, 20, 30)
    ]
    (first, _), _ = ingest(log("results.json", b"".join(runs[:2])))
    assert (first["requests"], first["errors"], Run.objects.count()) == (4, 2, 2)
    (grown, _), _ = ingest(log("results.json", b"".join(runs)))
    assert (grown["requests"], grown["errors"], Run.objects.count()) == (2, 1, 3)
