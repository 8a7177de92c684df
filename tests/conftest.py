"""Fixtures for every test: the session's private PostgreSQL."""

from contextlib import ExitStack

import pytest
from django.test import TransactionTestCase
from hypothesis import HealthCheck, settings

from accounting.embedded.folders import DataFolder
from accounting.embedded.server import PrivateServer
from tests.plugin import CARELESS, FOLDER_KEY

# A law that holds on a busy machine holds: how long an example takes is measured in bench/.
settings.register_profile("law", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("law")
#: Fixtures that start it; the mark django_db and Django's own test cases do too.
OF_THE_DATABASE = {"db", "transactional_db", "live_server", "private_server"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what needs the database, so that `-m "not database"` runs the rest alone."""
    for item in items:
        of_django = item.cls is not None and issubclass(item.cls, TransactionTestCase)
        is_marked = item.get_closest_marker("django_db") is not None
        if of_django or is_marked or not OF_THE_DATABASE.isdisjoint(item.fixturenames):
            item.add_marker("database")


@pytest.fixture(scope="session", autouse=True)
def static_files_are_found_once():
    """Every test client makes the middleware anew, which would look for all static files each time."""
    from accounting.config.packing import PackedFiles  # once the settings are read

    looked_for = PackedFiles.add_files_from_finders
    found = {}

    def add(self):
        if not found:
            looked_for(self)
            found.update(self.files)
        self.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PackedFiles, "add_files_from_finders", add)
        yield


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
