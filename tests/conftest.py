"""Fixtures for every test: the session's private PostgreSQL."""

from contextlib import ExitStack

import pytest

from accounting.embedded.folders import DataFolder
from accounting.embedded.server import PrivateServer
from tests.plugin import FOLDER_KEY

# A crash of this server costs nothing, so it need not wait for the disk.
CARELESS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@pytest.fixture(scope="session")
def data_folder(pytestconfig) -> DataFolder:
    """The session's data folder, the same that settings.DATA_FOLDER names."""
    return pytestconfig.stash[FOLDER_KEY]


@pytest.fixture(scope="session")
def private_server(data_folder):
    """The session's PostgreSQL; DATABASE_URL, if set, names another and none is started."""
    from django.conf import settings

    with ExitStack() as stack:
        if settings.EMBEDDED:
            stack.enter_context(PrivateServer(data_folder, options=CARELESS).use())
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(private_server, django_db_modify_db_settings_parallel_suffix):
    """Start the server just before pytest-django makes its database in it."""
