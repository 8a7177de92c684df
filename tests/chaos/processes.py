"""Processes that a test starts, kills and starts again: each leads a group of its own."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


class Process:
    """A program that can be started many times, with everything it starts.

    port: where it listens, if it does. It is killed when the thread that started it ends, so start it
    from the test's own thread.
    """

    def __init__(self, name, command, *, environment, log, account=None, port=None):
        self.name = name
        self.command = [str(part) for part in command]
        self.environment = environment
        self.log = log
        self.account = account or {}
        self.port = port
        self.started_at = 0.0
        self._process = None

    @property
    def pid(self):
        return self._process.pid

    def start(self):
        self.kill()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command,
                cwd="/" if self.account else ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                # It only asks the kernel for something, so it may be called beside other threads.
                preexec_fn=_die_with_parent,  # noqa: PLW1509
                **self.account,
            )
        self.started_at = time.monotonic()
        return self

    def is_running(self):
        return self._process is not None and self._process.poll() is None

    def children(self):
        """Those it started itself, in whichever of its threads."""
        found = Path(f"/proc/{self.pid}/task").glob("*/children")
        with suppress(OSError):  # it ends meanwhile
            return [child for file in found for child in file.read_text().split()]
        return []

    def kill(self, number=signal.SIGKILL):
        """End it and all that it started, by default without a word."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)
        self._process.wait()
        if self.port:
            wait_until(lambda: not is_open(self.port), what=f"the end of {self.name}")

    def pause(self):
        """Have it and all that it started do nothing, as a machine that hangs."""
        os.killpg(self.pid, signal.SIGSTOP)

    def go_on(self):
        os.killpg(self.pid, signal.SIGCONT)

    def kill_child(self, chance):
        """End one of those it started; False where it has none."""
        pids = self.children()
        if not pids:
            return False
        with suppress(ProcessLookupError):
            os.kill(int(chance.choice(pids)), signal.SIGKILL)
        return True

    def stop(self, patience_s=30):
        """Ask it to end and wait; its exit code. Raises subprocess.TimeoutExpired."""
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(patience_s)


def python(*arguments):
    """The command line of a Python of ours; -W: root may run a worker, and the sources are served."""
    return [sys.executable, "-W", "ignore", *arguments]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def is_open(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(is_so, *, seconds=180, what="it"):
    """Wait for what takes a moment as a rule; seconds: after which it never will, on a slow machine."""
    ends_at = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < ends_at, f"{what} took more than {seconds} s"
        time.sleep(0.05)


def _die_with_parent():
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
