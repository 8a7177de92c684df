"""Gives the test session a data folder of its own, before Django reads its settings.

Loaded with `-p tests.plugin` (pyproject.toml): pytest-django reads the settings before any
conftest.py, so a conftest would be too late.
"""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from accounting.embedded.folders import DataFolder
from accounting.embedded.locks import LockFile
from accounting.embedded.server import PrivateServer

# Not tmp_path: as root that lies below a folder which the server's account can't pass.
BASE = Path("/tmp")
PREFIX = f"tallybook-tests-{os.geteuid()}-"
SESSION_LOCK = "session.lock"
FOLDER_KEY = pytest.StashKey[DataFolder]()
FOLDER_OF_ALL = "TESTS_FOLDER"
#: For servers of which a crash costs nothing, so they need not wait for the disk.
CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config):
    """Runs around, and so before, the hook in which pytest-django loads the settings."""
    remove_leftovers()
    path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=BASE))
    os.environ["TALLYBOOK_DATA_DIR"] = str(path)
    if "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ[FOLDER_OF_ALL] = str(path)
    # Tests share one address; those of the limit set it.
    os.environ["TALLYBOOK_WRONG_KEYS_PER_MINUTE"] = "0"
    os.environ.setdefault("SECRET_KEY", "only-for-tests-" * 4)
    early_config.stash[FOLDER_KEY] = DataFolder(path)
    early_config.add_cleanup(lambda: shutil.rmtree(path, ignore_errors=True))
    lives = LockFile(path / SESSION_LOCK)
    lives.take_shared()
    early_config.add_cleanup(lives.close)
    return (yield)


def folder_of_all() -> Path:
    """The folder that all processes of this session share: that of the one which started the others."""
    return Path(os.environ[FOLDER_OF_ALL])


def remove_leftovers() -> None:
    """Stop the servers of test sessions that were killed, and remove their folders."""
    for path in BASE.glob(f"{PREFIX}*"):
        if not (path / SESSION_LOCK).exists():
            continue
        with LockFile(path / SESSION_LOCK) as session:
            if not session.try_take():
                continue  # it is still running
            server = PrivateServer(DataFolder(path))
            if server.is_alive():
                with server.use():
                    pass  # the last one out stops it
            shutil.rmtree(path, ignore_errors=True)
