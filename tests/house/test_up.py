"""`manage.py up` as `make run` starts it: from an empty folder to a page, and down again."""

import re
import signal
import urllib.error
from pathlib import Path

import pytest

from accounting.embedded.accounts import server_account
from accounting.embedded.folders import DataFolder
from accounting.embedded.places import cluster_of
from accounting.embedded.processes import processes_in
from tests.house.running import manage, started, status_of, stop

pytestmark = pytest.mark.slow


def left_over(environment) -> list[int]:
    cluster = cluster_of(DataFolder(Path(environment["TALLYBOOK_DATA_DIR"])))
    return processes_in(cluster, server_account(cluster))


def test_up_prints_an_address_and_a_link_that_work_and_stops_without_a_trace(environment):
    up, site, link = started(environment)
    assert status_of(site) == 200
    assert status_of(link) == 200
    stop(up, signal.SIGTERM)
    assert left_over(environment) == []
    with pytest.raises(urllib.error.URLError):
        status_of(site)


def test_a_second_start_has_the_same_books_and_a_new_link(ready):
    up, _, first = started(ready)
    stop(up, signal.SIGINT)
    up, site, second = started(ready)
    assert first != second
    assert status_of(first.replace(first.partition("/sign-in/")[0], site)) == 200
    assert "preparing" not in stop(up, signal.SIGINT)


def test_a_second_up_and_a_taken_port_are_refused_in_one_sentence(ready):
    up, _, _ = started(ready)
    second = manage(ready, "up")
    _, error = second.communicate(timeout=60)
    assert second.returncode == 1
    assert error.startswith("tallybook: Tallybook already runs on")
    elsewhere = {**ready, "TALLYBOOK_DATA_DIR": f"{ready['TALLYBOOK_DATA_DIR']}-2"}
    other = manage(elsewhere, "up")
    _, error = other.communicate(timeout=60)
    assert other.returncode == 1
    assert re.match(r"tallybook: can't listen on 127\.0\.0\.1 port \d+: .* TALLYBOOK_PORT", error)
    stop(up, signal.SIGTERM)


def test_commands_work_alone_beside_up_and_six_at_once(environment):
    commands = [manage(environment, "showmigrations", "--plan") for _ in range(6)]
    for command in commands:
        output, error = command.communicate(timeout=120)
        assert command.returncode == 0, error
        assert "[ ]" not in output
    assert left_over(environment) == []
    up, _, _ = started(environment)
    beside = manage(environment, "showmigrations", "--plan")
    assert beside.communicate(timeout=60)[0] == output
    stop(up, signal.SIGTERM)


def test_a_killed_up_takes_its_children_along_and_the_next_starts(ready):
    up, site, _ = started(ready)
    up.kill()
    up.communicate(timeout=60)
    up, site, _ = started_again(ready)
    assert status_of(site) == 200
    stop(up, signal.SIGTERM)
    assert left_over(ready) == []


def started_again(environment):
    """`up` once the children of the killed one have let go of the port."""
    for _ in range(30):
        probe = manage(environment, "up")
        line = probe.stdout.readline()
        if line:
            link = probe.stdout.readline()
            return probe, line.split()[-1].rstrip("/"), link
        assert "can't listen" in probe.communicate()[1]
    pytest.fail("the port stayed taken")
