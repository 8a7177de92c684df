"""The private PostgreSQL that every command shares.

The first one in starts it, the last one out stops it, and any of them may be killed at any moment.
Two lock files in the data folder carry the protocol. `gate.lock` is held exclusively while the
server is started, prepared or stopped. `users.lock` is shared by everyone who uses the server;
whoever gets it exclusively on the way out was the last.
"""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from accounting.embedded.accounts import Account, server_account
from accounting.embedded.binaries import find_binaries
from accounting.embedded.cluster import (
    DATABASE,
    USER,
    major_of,
    make_cluster,
    server_command,
    server_environment,
)
from accounting.embedded.errors import ServerError
from accounting.embedded.folders import SOCKET_NAME, DataFolder, told_plainly
from accounting.embedded.locks import LockFile
from accounting.embedded.places import (
    check_reach,
    cluster_of,
    note_place,
    place_for_cluster,
    reachable_binaries,
)
from accounting.embedded.processes import postmaster_of, processes_in
from accounting.embedded.readiness import Readiness, readiness

POLL_S = 0.03
SPEAK_AFTER_S = 5.0
START_LIMIT_S = 900.0  # crash recovery replays what was written since the last checkpoint
STOP_LIMIT_S = 120.0
LAUNCHES = 3
LOG_LIMIT_BYTES = 10_000_000


def tell(message: str) -> None:
    """Say something to the person at the terminal; standard output belongs to the command."""
    print(f"tallybook: {message}", file=sys.stderr, flush=True)  # noqa: T201


class PrivateServer:
    """The PostgreSQL server of one data folder, as seen from this process.

    options: PostgreSQL settings on top of the usual ones, for whoever starts the server.
    """

    # Servers that outlive the command that started them. Kept, because a Popen object that is
    # thrown away while its process runs complains.
    _handed_over: list["subprocess.Popen[bytes]"] = []

    def __init__(self, folder: DataFolder, *, options: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self._options = options or {}
        self._process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def use(self, *, prepare: Callable[[], None] | None = None, stamp: str = "") -> Iterator[None]:
        """Have the server running inside the block.

        prepare: called with the server running, before anybody else can use it, unless it was
            last called with the same stamp.

        Raises EmbeddedError when there can be no server.
        """
        if not Path("/proc/self/cwd").exists():
            raise ServerError("the private PostgreSQL needs Linux; set DATABASE_URL elsewhere")
        self.folder.make()
        with ExitStack() as leaving:
            gate = leaving.enter_context(LockFile(self.folder.path / "gate.lock"))
            users = leaving.enter_context(LockFile(self.folder.path / "users.lock"))
            with gate.held(self._tell_of_waiting):
                users.take_shared()
                leaving.callback(self._leave, gate, users)
                self._start_if_down()
                self._prepare(prepare, stamp)
            yield

    def is_alive(self) -> bool:
        """Whether the server's process exists."""
        cluster = cluster_of(self.folder)
        return postmaster_of(cluster, server_account(cluster)) is not None

    def revive(self) -> None:
        """Start the server again after it died under its users."""
        with (
            LockFile(self.folder.path / "gate.lock") as gate,
            gate.held(self._tell_of_waiting),
        ):
            self._start_if_down()

    def forget_preparation(self) -> None:
        """Have the next user prepare, whatever its stamp."""
        self._stamp.unlink(missing_ok=True)

    @property
    def _stamp(self) -> Path:
        return self.folder.path / "prepared"

    def _prepare(self, prepare: Callable[[], None] | None, stamp: str) -> None:
        if prepare is None or (self._stamp.exists() and self._stamp.read_text() == stamp):
            return
        prepare()
        with told_plainly(self._stamp):
            self._stamp.write_text(stamp)

    def _leave(self, gate: LockFile, users: LockFile) -> None:
        with gate.held(self._tell_of_waiting):
            users.release()
            if users.try_take():
                self._stop()
            elif self._process:
                self._handed_over.append(self._process)

    def _start_if_down(self) -> None:
        cluster = cluster_of(self.folder)
        account = server_account(cluster)
        if not cluster.exists():
            cluster = self._make_cluster(account)
        check_reach(cluster, account)
        deadline = time.monotonic() + START_LIMIT_S
        speak_at = time.monotonic() + SPEAK_AFTER_S
        launches = 0
        while not self._answers(cluster, account):
            if not self._exists(cluster, account):
                if launches == LAUNCHES or time.monotonic() > deadline:
                    raise ServerError(f"PostgreSQL does not start: {self._end_of_log()}")
                self._launch(cluster, account)
                launches += 1
            if time.monotonic() > speak_at:
                tell("PostgreSQL is starting up; after a crash it first repairs itself")
                speak_at = float("inf")
            if time.monotonic() > deadline:
                raise ServerError(f"PostgreSQL runs but does not answer: {self._end_of_log()}")
            time.sleep(POLL_S)

    def _answers(self, cluster: Path, account: Account) -> bool:
        return (
            postmaster_of(cluster, account) is not None
            and readiness(self.folder.socket_folder, user=USER, database=DATABASE)
            is Readiness.READY
        )

    def _exists(self, cluster: Path, account: Account) -> bool:
        if self._process and self._process.poll() is None:
            return True
        return postmaster_of(cluster, account) is not None

    def _make_cluster(self, account: Account) -> Path:
        cluster = place_for_cluster(self.folder, account)
        binaries = reachable_binaries(find_binaries(), self.folder, account)
        self.forget_preparation()
        with told_plainly(cluster):
            make_cluster(binaries, cluster, account)
        note_place(self.folder, cluster)
        return cluster

    def _launch(self, cluster: Path, account: Account) -> None:
        binaries = find_binaries(major_of(cluster))
        binaries = reachable_binaries(binaries, self.folder, account)
        socket_folder = self._make_socket_folder(account)
        _wait_for_orphans(cluster, account)
        # Nobody works in the cluster, so these were left by a crash. PostgreSQL itself would
        # believe them if their process number has gone to a stranger.
        (cluster / "postmaster.pid").unlink(missing_ok=True)
        (socket_folder / f"{SOCKET_NAME}.lock").unlink(missing_ok=True)
        log = self.folder.path / "postgres.log"
        with told_plainly(log):
            if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
                log.replace(log.with_name("postgres.log.1"))
            with log.open("ab") as log_file:
                self._process = subprocess.Popen(
                    server_command(binaries, cluster, socket_folder, self._options),
                    stdin=subprocess.DEVNULL,
                    stdout=log_file,
                    stderr=log_file,
                    start_new_session=True,  # Ctrl-C at the terminal is not for the server
                    cwd="/",
                    env=server_environment(),
                    umask=0o077,
                    **account.for_subprocess(),
                )

    def _make_socket_folder(self, account: Account) -> Path:
        folder = self.folder.socket_folder
        with told_plainly(folder):
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
            # In a shared temporary folder anybody may have made one of this name.
            if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {os.geteuid(), account.uid}:
                raise ServerError(f"{folder} belongs to user {found.st_uid}; remove it")
            folder.chmod(0o700)
            account.own(folder)
        self.folder.note_socket_folder(folder)
        return folder

    def _stop(self) -> None:
        cluster = cluster_of(self.folder)
        account = server_account(cluster)
        for request in (signal.SIGINT, signal.SIGQUIT):  # fast, then without a checkpoint
            pid = postmaster_of(cluster, account)
            if pid is None:
                break
            os.kill(pid, request)
            self._wait_for_end(pid, cluster, account)
        if self._process:
            self._process.wait()
        with suppress(OSError):  # something else may lie in it
            self.folder.socket_folder.rmdir()

    def _wait_for_end(self, pid: int, cluster: Path, account: Account) -> None:
        deadline = time.monotonic() + STOP_LIMIT_S
        while postmaster_of(cluster, account) == pid and time.monotonic() < deadline:
            if self._process:
                self._process.poll()
            time.sleep(POLL_S)

    def _end_of_log(self) -> str:
        try:
            return (self.folder.path / "postgres.log").read_text(errors="replace")[-800:]
        except OSError:
            return "it left no log"

    @staticmethod
    def _tell_of_waiting() -> None:
        tell("waiting for another command that starts, migrates or stops the private PostgreSQL")


def _wait_for_orphans(cluster: Path, account: Account) -> None:
    """Wait until the backends of a killed server have noticed; two servers would ruin the books."""
    deadline = time.monotonic() + STOP_LIMIT_S
    while left := processes_in(cluster, account):
        if time.monotonic() > deadline:
            numbers = ", ".join(str(pid) for pid in left)
            raise ServerError(f"processes {numbers} still work in {cluster}; end them first")
        time.sleep(POLL_S)
