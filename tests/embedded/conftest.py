"""Data folders with servers of their own, and commands that use them."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from accounting.embedded.accounts import server_account
from accounting.embedded.folders import DataFolder
from accounting.embedded.places import ELSEWHERE, cluster_of
from accounting.embedded.processes import processes_in


@pytest.fixture
def place():
    """A folder that the server's account can pass; tmp_path is closed to others."""
    path = Path(tempfile.mkdtemp(prefix="tallybook-test-", dir="/tmp"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def folder(place):
    """A data folder that does not exist yet; what still runs in it afterwards is ended."""
    folder = DataFolder(place / "var")
    yield folder
    for pid in server_processes(folder):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(ELSEWHERE / folder.digest, ignore_errors=True)


def server_processes(folder: DataFolder) -> list[int]:
    cluster = cluster_of(folder)
    return processes_in(cluster, server_account(cluster)) if cluster.exists() else []


def start_using(folder: DataFolder, seconds: float = 0) -> subprocess.Popen:
    """Another command that uses the server, started and not waited for."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.embedded.use_server", folder.path, str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def results(commands: list[subprocess.Popen]) -> list[str]:
    """The last line of each command, or its error."""
    said = [command.communicate(timeout=120) for command in commands]
    return [
        output.splitlines()[-1] if command.returncode == 0 else error[-500:]
        for command, (output, error) in zip(commands, said, strict=True)
    ]


def wait_until_using(command: subprocess.Popen) -> None:
    assert command.stdout.readline() == "using\n"
