"""An environment in which a whole Tallybook can be started."""

import os
import shutil
import socket
import tempfile
from pathlib import Path

import pytest

from accounting.embedded.folders import DataFolder
from accounting.embedded.places import ELSEWHERE
from tests.prepared import copied, prepared_cluster


@pytest.fixture
def environment():
    """An empty data folder and a free port."""
    path = Path(tempfile.mkdtemp(prefix="tallybook-test-", dir="/tmp"))
    path.chmod(0o711)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    dropped = ("DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY")
    yield {
        **{name: text for name, text in os.environ.items() if name not in dropped},
        "TALLYBOOK_DATA_DIR": str(path / "var"),
        "TALLYBOOK_PORT": str(port),
    }
    shutil.rmtree(ELSEWHERE / DataFolder(path / "var").digest, ignore_errors=True)
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def ready(environment):
    """The same with a data folder in which there is nothing left to prepare."""
    copied(prepared_cluster(), Path(environment["TALLYBOOK_DATA_DIR"]))
    return environment
