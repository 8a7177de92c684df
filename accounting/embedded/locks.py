"""Lock files: which commands use the private server, and who may start or stop it.

The kernel lets go of a lock however its holder ends, so a killed command leaves nothing behind.
"""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from accounting.embedded.errors import AlreadyRunningError
from accounting.embedded.folders import told_plainly

POLL_S = 0.02
SPEAK_AFTER_S = 5.0


class LockFile:
    """One file that many processes lock, shared or exclusively."""

    def __init__(self, path: Path) -> None:
        with told_plainly(path):
            self._file = path.open("a")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of it for good."""
        self._file.close()

    def take_shared(self) -> None:
        """Lock it beside others that share it; waits for an exclusive holder."""
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def try_take(self) -> bool:
        """Lock it exclusively if nobody else holds it."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Let go of it."""
        fcntl.flock(self._file, fcntl.LOCK_UN)

    @contextmanager
    def held(self, on_long_wait: Callable[[], None]) -> Iterator[None]:
        """Hold it exclusively; on_long_wait is called once when that takes some seconds."""
        speak_at = time.monotonic() + SPEAK_AFTER_S
        while not self.try_take():
            if time.monotonic() > speak_at:
                speak_at = float("inf")
                on_long_wait()
            time.sleep(POLL_S)
        try:
            yield
        finally:
            self.release()


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Be the only `up` of this data folder inside the block; raises AlreadyRunningError."""
    with LockFile(path / "up.lock") as lock:
        if not lock.try_take():
            raise AlreadyRunningError(
                f"Tallybook already runs on {path}: stop that one first,"
                " or set TALLYBOOK_DATA_DIR to another folder for a second one"
            )
        yield
