"""The bell: tells the workers that the inbox has something, without ever holding up who rings.

The inbox is the queue; a lost bell costs seconds, because the sweep finds what waits.
"""

import logging
import os
import threading
import time

from accounting.config.celery import app

READ_INBOX = "ingest.tasks.read_inbox"
#: At most one bell in this time: a thousand pushes a second need no thousand messages.
PAUSE_S = 0.5
#: A bell that nobody heard so long says nothing any more. The clocks of hosts may be as far apart.
EXPIRES_S = 300

logger = logging.getLogger(__name__)


class Bell:
    """Sends bells from a thread of its own, started by the first ring of the process.

    Should it break down, by whatever, the next ring starts another.
    """

    def __init__(self) -> None:
        self._wanted = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_silent = False

    def ring(self) -> None:
        """Ask for one bell; returns at once and never fails."""
        self._wanted.set()
        if not self._is_running():
            with self._starting:
                if not self._is_running():
                    self._thread = threading.Thread(target=self._run, name="bell", daemon=True)
                    self._thread.start()

    def _is_running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            self._send()
            time.sleep(PAUSE_S)

    def _send(self) -> None:
        try:
            app.send_task(READ_INBOX, expires=EXPIRES_S, retry=False, ignore_result=True)
        except Exception as error:  # noqa: BLE001  the sweep makes up for it
            if not self._is_silent:
                logger.warning("no bell could be sent, the sweep will find the work: %s", error)
            self._is_silent = True
        else:
            self._is_silent = False


_bell = Bell()


def ring() -> None:
    """Wake the workers soon. Call it by transaction.on_commit(ring, robust=True)."""
    _bell.ring()


def _replace_bell() -> None:
    # A thread does not live on in a forked child, and its locks may be held for ever.
    global _bell  # noqa: PLW0603  one per process
    _bell = Bell()


os.register_at_fork(after_in_child=_replace_bell)
