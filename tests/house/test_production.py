"""The same `up` on a PostgreSQL and a broker of one's own: the oldest supported and Redis."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

from accounting.embedded.folders import DataFolder
from accounting.embedded.server import PrivateServer
from tests.house.running import manage, started, status_of, stop

OLDEST = Path("/usr/lib/postgresql/15/bin")
REDIS = shutil.which("redis-server")
#: Continuous integration must have both; elsewhere these tests may be left out.
IS_CI = bool(os.environ.get("CI"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not OLDEST.exists() and not IS_CI, reason="PostgreSQL 15 is not installed"),
    pytest.mark.skipif(not REDIS and not IS_CI, reason="Redis is not installed"),
]


@pytest.fixture
def database_url(environment, monkeypatch):
    monkeypatch.setenv("TALLYBOOK_PG_BIN", str(OLDEST))
    folder = DataFolder(Path(f"{environment['TALLYBOOK_DATA_DIR']}-own"))
    with PrivateServer(folder).use():
        yield f"postgres://tallybook@/{folder.socket_folder}/tallybook"


@pytest.fixture
def broker_url(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    redis = subprocess.Popen(
        [REDIS, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", tmp_path],
        stdout=subprocess.DEVNULL,
    )
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield f"redis://127.0.0.1:{port}/0"
    redis.terminate()
    redis.wait()


def test_up_runs_on_postgresql_15_and_redis(environment, database_url, broker_url):
    production = {
        **environment,
        "DATABASE_URL": database_url,
        "CELERY_BROKER_URL": broker_url,
        "SECRET_KEY": "only-for-tests-" * 4,
    }
    up, site, link = started(production)
    assert status_of(site) == 200
    assert status_of(link) == 200
    stop(up, signal.SIGTERM)
    assert not Path(environment["TALLYBOOK_DATA_DIR"], "postgres").exists()


def test_hosts_that_prepare_one_database_at_once_wait_for_each_other(environment, database_url):
    host = {**environment, "DATABASE_URL": database_url, "SECRET_KEY": "only-for-tests-" * 4}
    for preparing in [manage(host, "prepare") for _ in range(3)]:
        _, error = preparing.communicate(timeout=120)
        assert preparing.returncode == 0, error


def test_a_database_of_ones_own_needs_a_secret_key(environment):
    host = {**environment, "DATABASE_URL": "postgres://tallybook@nowhere/tallybook"}
    command = manage(host, "prepare")
    _, error = command.communicate(timeout=60)
    assert command.returncode == 1
    assert error == "tallybook: DATABASE_URL needs SECRET_KEY too: every host must have the same\n"
