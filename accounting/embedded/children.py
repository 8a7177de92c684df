"""One child process: started in a session of its own, listened to, ended with all it started."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

CHUNK_BYTES = 65_536
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A program to keep running."""

    name: str
    command: Sequence[str]
    patience_s: float  # how long it may take to end when asked


class RunningChild:
    """A child that was started.

    It leads a process group, so whatever it starts can be ended with it; and it gets SIGTERM when
    we die without having stopped it.
    """

    def __init__(self, child: Child) -> None:
        self.child = child
        parent = os.getpid()
        self.output, theirs = os.pipe()
        self._process = subprocess.Popen(
            child.command,
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # Safe here: a supervisor has one thread.
            preexec_fn=lambda: _end_with_parent(parent),  # noqa: PLW1509
        )
        os.close(theirs)
        os.set_blocking(self.output, False)
        self._unfinished = b""

    def lines(self) -> list[str]:
        """What it has written since the last call, whole lines only."""
        text = self._unfinished
        with suppress(BlockingIOError):
            while chunk := os.read(self.output, CHUNK_BYTES):
                text += chunk
        *whole, self._unfinished = text.split(b"\n")
        return [line.decode(errors="replace") for line in whole]

    def has_ended(self) -> bool:
        """Whether it is dead; it stays a zombie, so that its number is still its own."""
        end = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._process.pid, end) is not None

    def ask_to_end(self) -> None:
        """Send it, and not those it started, SIGTERM."""
        self._process.terminate()

    def clear_away(self) -> tuple[int, list[str]]:
        """End it and all it started; its exit code and last lines."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        lines = self.lines()
        if self._unfinished:
            lines.append(self._unfinished.decode(errors="replace"))
        os.close(self.output)
        return code, lines


def _end_with_parent(parent: int) -> None:
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before we asked
        os.kill(os.getpid(), signal.SIGTERM)
