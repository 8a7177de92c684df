"""Folders for a Tallybook of its own, and the prepared database that each begins with."""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote

from accounting.embedded.folders import DataFolder
from accounting.embedded.locks import LockFile
from accounting.embedded.server import PrivateServer
from tests.chaos.processes import ROOT
from tests.plugin import BASE, CARELESS, PREFIX, SESSION_LOCK, folder_of_all

PREPARE = (
    "import django; django.setup();"
    "from django.core.management import call_command; call_command('prepare');"
    "from tests.ingest.conftest import new_key;"
    "from accounting.services.tenants import ensure_defaults;"
    "print(new_key(ensure_defaults(), ['ingest']))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A cluster to copy, and the text of a key in it that may push."""

    cluster: Path
    token: str


@cache
def prepared():
    """Made once, by whichever process of the test session is the first to ask."""
    place = folder_of_all() / "prepared"
    with LockFile(place.with_suffix(".lock")) as lock, lock.held(lambda: None):
        if not place.exists():
            with own_folder() as folder:
                making = folder / "made"
                making.mkdir()
                (making / "token").write_text(_prepare(DataFolder(folder)))
                shutil.move(folder / "postgres", making / "postgres")
                shutil.move(making, place)
    return Prepared(cluster=place / "postgres", token=(place / "token").read_text())


def _prepare(folder):
    """Make the cluster of a folder, and a key; its text."""
    with PrivateServer(folder, options=CARELESS).use():
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", PREPARE],
            cwd=ROOT,
            env={**surroundings(folder), "DJANGO_SETTINGS_MODULE": "accounting.config.settings"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def surroundings(folder):
    """The environment of a process that works with the database of this folder."""
    place = quote(str(folder.socket_folder), safe="")
    return {
        **os.environ,
        "DATABASE_URL": f"postgres://tallybook@{place}/tallybook",
        "SECRET_KEY": "only-for-tests-" * 4,
        "TALLYBOOK_DATA_DIR": str(folder.path / "var"),
    }


@contextmanager
def own_folder(disk_mb=None):
    """A folder that a later session clears away if this one is killed. disk_mb: a disk, in memory."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=BASE))
    with ExitStack() as leaving:
        leaving.callback(shutil.rmtree, folder, ignore_errors=True)
        if disk_mb is not None:
            size = f"size={disk_mb}m,mode=0711"
            subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tallybook", folder], check=True)
            leaving.callback(subprocess.run, ["umount", "--lazy", folder], check=True)
        folder.chmod(0o711)
        lives = leaving.enter_context(LockFile(folder / SESSION_LOCK))
        lives.take_shared()
        yield folder


def may_mount():
    """Whether this process may give a test a disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "tallybook", folder], capture_output=True, check=False
        )
        if made.returncode == 0:
            subprocess.run(["umount", "--lazy", folder], check=True)
        return made.returncode == 0
