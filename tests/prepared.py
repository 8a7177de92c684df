"""Prepared databases, made once for all processes of a test session and copied by whoever needs one.

To prepare one takes seventeen seconds of a processor, to copy it one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import quote

from accounting.config.startup import preparation_stamp
from accounting.embedded.folders import DataFolder
from accounting.embedded.locks import LockFile
from accounting.embedded.places import INSIDE
from accounting.embedded.server import PrivateServer
from tests.plugin import BASE, CARELESS, PREFIX, SESSION_LOCK, folder_of_all

ROOT = Path(__file__).parents[1]


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name, made by whichever process of the session is the first to ask."""
    place = folder_of_all() / name
    with LockFile(place.with_suffix(".lock")) as lock, lock.held(lambda: None):
        if not place.exists():
            making = place.with_suffix(".making")
            making.mkdir()
            make(making)
            making.rename(place)
    return place


@cache
def prepared_cluster() -> Path:
    """A cluster as `manage.py prepare` leaves it, stopped."""
    return made_once("prepared", _prepare) / INSIDE


def copied(cluster: Path, folder: Path) -> None:
    """Give a data folder this cluster as its own, so that `up` finds nothing to prepare."""
    folder.mkdir(mode=0o711, exist_ok=True)
    subprocess.run(["cp", "-a", cluster, folder / INSIDE], check=True)
    (folder / "prepared").write_text(preparation_stamp())


def run_beside(folder: DataFolder, code: str) -> str:
    """What a program in Tallybook prints whose database is this folder's; its server runs meanwhile."""
    with PrivateServer(folder, options=CARELESS).use():
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", f"import django; django.setup(); {code}"],
            cwd=ROOT,
            env={**surroundings(folder), "DJANGO_SETTINGS_MODULE": "accounting.config.settings"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def surroundings(folder: DataFolder) -> dict[str, str]:
    """The environment of a process that works with the database of this folder."""
    place = quote(str(folder.socket_folder), safe="")
    return {
        **os.environ,
        "DATABASE_URL": f"postgres://tallybook@{place}/tallybook",
        "SECRET_KEY": "only-for-tests-" * 4,
        "TALLYBOOK_DATA_DIR": str(folder.path / "var"),
    }


@contextmanager
def own_folder(disk_mb: int | None = None) -> Iterator[Path]:
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


def _prepare(making: Path) -> None:
    with own_folder() as folder:
        run_beside(
            DataFolder(folder),
            "from accounting.management.preparation import prepare_database; prepare_database()",
        )
        shutil.move(folder / INSIDE, making / INSIDE)
