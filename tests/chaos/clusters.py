"""The prepared database that each Tallybook which is struck begins with."""

import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accounting.embedded.folders import DataFolder
from accounting.embedded.places import INSIDE
from tests.prepared import made_once, own_folder, prepared_cluster, run_beside

NEW_KEY = (
    "from tests.ingest.conftest import new_key;"
    "from accounting.services.tenants import ensure_defaults;"
    "print(new_key(ensure_defaults(), ['ingest']))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WithKey:
    """A cluster to copy, and the text of a key in it that may push."""

    cluster: Path
    token: str


@cache
def with_key():
    """A prepared cluster with such a key."""
    place = made_once("prepared-with-key", _add_key)
    return WithKey(cluster=place / INSIDE, token=(place / "token").read_text())


def _add_key(making):
    with own_folder() as folder:
        subprocess.run(["cp", "-a", prepared_cluster(), folder / INSIDE], check=True)
        (making / "token").write_text(run_beside(DataFolder(folder), NEW_KEY))
        (folder / INSIDE).rename(making / INSIDE)


def may_mount():
    """Whether this process may give a test a disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "tallybook", folder], capture_output=True, check=False
        )
        if made.returncode == 0:
            subprocess.run(["umount", "--lazy", folder], check=True)
        return made.returncode == 0
