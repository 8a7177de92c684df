"""Files, once and as they grow, as docs/sending.md prints it, with the workers that look at them."""

import json
import shutil

import pytest

from tests.chaos.processes import wait_until
from tests.exporters.snippets import ROOT
from tests.ingest.conftest import event, ndjson

pytestmark = pytest.mark.slow
SAMPLE = ROOT / "tests" / "samples" / "claude_code" / "projects"


def test_a_folder_of_transcripts_is_read(run, tmp_path):
    shutil.copytree(SAMPLE, tmp_path / ".claude" / "projects")
    told = [json.loads(line) for line in run("Files, once").splitlines()]
    assert (told[0]["format"], told[0]["state"]) == ("claude_code", "done")
    assert told[-1]["requests"] > 0


def test_the_workers_read_what_comes_to_a_watched_folder_by_themselves(tallybook, run, tmp_path):
    folder = tmp_path / "gateway-logs"
    folder.mkdir()
    log = folder / "app.jsonl"
    log.write_bytes(ndjson(event("watched-1")))
    assert "watched: " in run("Files as they grow")
    assert [row[:3] for row in tallybook.booked("r-watched-1")] == [(100, None, 10)]
    with log.open("ab") as file:
        file.write(ndjson(event("watched-2")))
    tallybook.booked("r-watched-2")
    number = tallybook.rig.value("SELECT id FROM accounting_import WHERE door = 'watch'")
    assert tallybook.rig.manage("imports", "undo", str(number))[0] == 0
    assert "2 files" not in run("Files as they grow", 1)
    assert tallybook.booked("r-watched-1") != []
    wait_until(lambda: tallybook.booked("r-watched-2"), what="what was undone")
