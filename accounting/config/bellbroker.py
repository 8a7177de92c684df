"""A Celery broker for one machine, without any server: messages are files in the data folder.

kombu's own filesystem transport shows a message before it has content, and a worker that meets
such a file dies. Here files appear and are taken by renaming. Messages are only bells that wake
the workers, so one that can't be read is dropped: the sweep finds its work.
"""

import os
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.utils.json import dumps, loads

SCHEME = "bells"  # of DataFolder.bell_url


class Channel(virtual.Channel):
    """Keeps each message in one file, `<time>_<id>.<queue>.msg`.

    Names that begin with a dot are unfinished or taken; nobody else looks at them. Who is bound to
    which queue is not kept: every process declares its queues before it sends or listens.
    """

    @property
    def _folder(self) -> Path:
        client: Any = self.connection.client
        return Path(client.transport_options["folder"])

    def _put(self, queue: str, message: Any, **_: Any) -> None:
        folder = self._folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{time.time_ns():020d}_{uuid.uuid4()}.{queue}.msg"
        part = folder / f".{name}.part"
        part.write_text(dumps(message))
        part.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:  # noqa: ARG002  kombu's
        for waiting in sorted(self._messages(queue)):
            taken = waiting.with_name(f".{waiting.name}.{os.getpid()}.taken")
            with suppress(OSError, ValueError):
                waiting.rename(taken)  # of several readers one succeeds
                text = taken.read_text()
                taken.unlink()
                return loads(text)
        raise Empty

    def _purge(self, queue: str) -> int:
        messages = list(self._messages(queue))
        for message in messages:
            message.unlink(missing_ok=True)
        return len(messages)

    def _size(self, queue: str) -> int:
        return len(list(self._messages(queue)))

    def _messages(self, queue: str) -> Iterator[Path]:
        with suppress(FileNotFoundError):
            for file in self._folder.iterdir():
                if not file.name.startswith(".") and file.name.partition(".")[2] == f"{queue}.msg":
                    yield file


class Transport(virtual.Transport):
    """The transport behind bells:// addresses."""

    Channel = Channel
    # With an event loop each child of a worker has a pipe of its own. Without one all share a pipe and its
    # lock, and a child that is killed while it waits there takes the lock along: nobody works any more.
    implements = virtual.Transport.implements.extend(asynchronous=True)
    default_port = 0
    driver_type = driver_name = SCHEME
    # kombu declares a queue once per process, and a second connection must know it too.
    declared = virtual.BrokerState()

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self.state = self.declared

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:  # noqa: ARG002  kombu's
        """Look for messages again and again: there is nothing that would tell of one."""
        loop.call_repeatedly(self.polling_interval, self._look)

    def _look(self) -> None:
        with suppress(Empty):
            while self.cycle is not None:
                self.cycle.get(self._deliver)

    def driver_version(self) -> str:
        """What `celery report` prints."""
        return "1"


# kombu takes no module path from an address, so the scheme must be known before one is opened.
TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
