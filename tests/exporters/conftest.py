"""A running Tallybook, of real processes, for what sends to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.chaos.brokers import Bells
from tests.chaos.processes import wait_until
from tests.chaos.rig import rig_with
from tests.exporters.snippets import ROOT, snippets

BOOKED = """
    SELECT input_tokens, cache_read_input_tokens, output_tokens, cost::text, currency
    FROM accounting_usageevent
    WHERE response_id = %s
"""


class Books:
    """The running server, and what its books show."""

    def __init__(self, rig):
        self.rig = rig
        self.address = f"http://127.0.0.1:{rig.port}"
        self.key = rig.token

    def filled(self, snippet):
        return snippet.filled(address=self.address, key=self.key)

    def booked(self, response_id):
        """Tokens and cost of the requests of an id, as soon as there are any."""
        wait_until(lambda: self.rig.rows(BOOKED, [response_id]), seconds=240, what=response_id)
        return self.rig.rows(BOOKED, [response_id])

    def is_read(self):
        """Whether nothing waits to be read."""
        waiting = "SELECT count(*) FROM ingest_inboxchunk WHERE state IN ('receiving', 'ready')"
        return self.rig.value(waiting) == 0


@pytest.fixture(scope="session")
def tallybook():
    with rig_with(Bells) as rig:
        rig.start()
        yield Books(rig)


@pytest.fixture
def run(tallybook, tmp_path):
    """Execute a snippet of the page by its heading and number; what it prints."""

    def ran(heading, number=0, *, after="", **more):
        text = tallybook.filled(snippets(heading)[number]) + after
        environment = {
            **tallybook.rig.environment,
            "HOME": str(tmp_path),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **more,
        }
        done = subprocess.run(
            ["bash", "-eu", "-c", text],
            cwd=ROOT if "./manage.py" in text else tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return ran
