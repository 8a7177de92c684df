import os
import time

import pytest

from ingest.services.receive import Sender
from ingest.services.watching import look
from ingest.services.watching_folders import add_folder
from tests.ingest.conftest import books, ingest

__all__ = ["books", "ingest"]


@pytest.fixture
def folder(tmp_path):
    """An empty folder."""
    path = tmp_path / "logs"
    path.mkdir()
    return path


@pytest.fixture
def watched(books, folder):
    """The folder, watched for the default organization."""
    return add_folder(str(folder), sender=Sender(organization_id=books.pk))


def looked():
    """Look at all folders for as long as it takes; the counts of the one folder that there is."""
    [one] = look(seconds=60)
    return one.counts


def read(path):
    """Which bytes a file's reading has come to, and which line is next."""
    from ingest.models import WatchedFile

    row = WatchedFile.objects.get(inside=path, vanished_at=None)
    return row.offset, row.line


def rested(path, seconds=5):
    """The path of a file that was changed so long ago."""
    at = time.time() - seconds
    os.utime(path, (at, at))
    return path


def append(path, body):
    with path.open("ab") as file:
        file.write(body)
    return path
