import os
import signal

import psycopg
import pytest

from accounting.embedded.accounts import server_account
from accounting.embedded.folders import DataFolder
from accounting.embedded.locks import LockFile
from accounting.embedded.places import cluster_of
from accounting.embedded.processes import postmaster_of
from accounting.embedded.server import PrivateServer
from tests.embedded.conftest import results, server_processes, start_using, wait_until_using


def postmaster(folder: DataFolder) -> int:
    cluster = cluster_of(folder)
    pid = postmaster_of(cluster, server_account(cluster))
    assert pid
    return pid


def question(folder: DataFolder, sql: str) -> str:
    with psycopg.connect(
        host=str(folder.socket_folder), user="tallybook", dbname="tallybook"
    ) as connection:
        return connection.execute(sql).fetchone()[0]


def test_six_commands_at_once_on_an_empty_folder_all_succeed_and_leave_no_process(folder):
    commands = [start_using(folder, seconds=n / 5) for n in range(6)]
    assert results(commands) == ["used"] * 6
    assert server_processes(folder) == []


def test_the_server_runs_while_anybody_uses_it(folder):
    longer = start_using(folder, seconds=2)
    wait_until_using(longer)
    first = postmaster(folder)
    assert results([start_using(folder)]) == ["used"]
    assert postmaster(folder) == first
    assert results([longer]) == ["used"]
    assert server_processes(folder) == []


def test_the_database_is_utf8_with_one_order_everywhere_and_checksums(folder):
    with PrivateServer(folder).use():
        assert question(folder, "SHOW server_encoding") == "UTF8"
        assert question(folder, "SHOW data_checksums") == "on"
        assert question(folder, "SELECT lower('ÄÖ')") == "äö"
        assert question(folder, "SHOW listen_addresses") == ""
        assert question(folder, "SHOW jit") == "off"
        assert question(folder, "SHOW log_min_error_statement") == "panic"
        assert question(folder, "SHOW log_error_verbosity") == "terse"


def test_a_killed_command_leaves_the_server_to_the_next_which_stops_it(folder):
    command = start_using(folder, seconds=60)
    wait_until_using(command)
    left = postmaster(folder)
    command.kill()
    command.communicate()
    assert postmaster(folder) == left
    assert results([start_using(folder), start_using(folder)]) == ["used"] * 2
    assert server_processes(folder) == []


def test_a_killed_one_among_six_disturbs_nobody(folder):
    commands = [start_using(folder, seconds=1) for _ in range(6)]
    commands[0].kill()
    commands[0].communicate()
    assert results(commands[1:]) == ["used"] * 5
    assert server_processes(folder) == []


def test_a_pid_file_that_names_a_living_stranger_is_not_believed(folder):
    assert results([start_using(folder)]) == ["used"]
    stale = cluster_of(folder) / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{stale.parent}\n1\n5432\n\n\n  1 2\nready\n")
    assert results([start_using(folder)]) == ["used"]
    os.kill(os.getpid(), 0)


def test_after_the_server_was_killed_the_next_command_recovers(folder):
    command = start_using(folder, seconds=1)
    wait_until_using(command)
    os.kill(postmaster(folder), signal.SIGKILL)
    assert "OperationalError" in results([command])[0]
    assert results([start_using(folder), start_using(folder)]) == ["used"] * 2
    assert server_processes(folder) == []


def test_a_killed_server_is_revived_under_its_users(folder):
    server = PrivateServer(folder)
    with server.use():
        os.kill(postmaster(folder), signal.SIGKILL)
        server.revive()
        assert server.is_alive()
        assert question(folder, "SELECT 'here'") == "here"
    assert not server.is_alive()


def test_a_data_folder_may_have_a_long_path(place):
    folder = DataFolder(place / ("long-" * 20) / ("name-" * 20) / "var")
    with PrivateServer(folder).use():
        assert question(folder, "SELECT 'here'") == "here"
        assert len(str(folder.path)) > 200
    assert server_processes(folder) == []


def test_a_half_made_cluster_is_made_again(folder):
    folder.make()
    (folder.path / "postgres.part").mkdir()
    (folder.path / "postgres.part" / "PG_VERSION").write_text("18\n")
    assert results([start_using(folder)]) == ["used"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the account")
def test_below_a_closed_folder_roots_cluster_lives_elsewhere_and_is_found_again(place, folder):
    place.chmod(0o700)
    with PrivateServer(folder).use():
        question(folder, "SELECT set_config('a.b', '', false)")
    assert (
        folder.path / "postgres_folder"
    ).read_text() == f"/var/lib/tallybook/{folder.digest}/postgres\n"
    assert not (folder.path / "postgres").exists()
    assert results([start_using(folder)]) == ["used"]


def test_preparation_happens_once_for_each_stamp(folder):
    calls = []
    server = PrivateServer(folder)
    for stamp in ("one", "one", "two"):
        with server.use(prepare=lambda: calls.append(question(folder, "SELECT 1")), stamp=stamp):
            pass
    assert calls == [1, 1]
    server.forget_preparation()
    with server.use(prepare=lambda: calls.append(2), stamp="two"):
        pass
    assert calls == [1, 1, 2]


def test_failed_preparation_is_tried_again_and_the_server_is_stopped(folder):
    def fail():
        raise RuntimeError

    with pytest.raises(RuntimeError), PrivateServer(folder).use(prepare=fail, stamp="one"):
        pass
    assert server_processes(folder) == []
    calls = []
    with PrivateServer(folder).use(prepare=lambda: calls.append(1), stamp="one"):
        pass
    assert calls == [1]


def test_a_command_that_waits_for_long_says_so(folder):
    folder.make()
    with LockFile(folder.path / "gate.lock") as gate, gate.held(lambda: None):
        waiting = start_using(folder)
        assert "waiting for another command" in waiting.stderr.readline()
    assert waiting.wait(timeout=60) == 0
    waiting.communicate()
