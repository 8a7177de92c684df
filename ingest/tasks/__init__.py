"""What the workers do: read the inbox when a bell rings, and look for what no bell told of."""

from celery import shared_task

import ingest.tasks.lookout  # noqa: F401  listens for the start of the clock
from ingest.services import reading, sweeping, watching
from ingest.tasks.bell import READ_INBOX, ring

#: A task reads so long and then rings again: a worker that is asked to end waits for its tasks, and
#: whoever asked it does not wait for long.
READING_S = 5.0


@shared_task(name=READ_INBOX)
def read_inbox() -> None:
    """Read waiting chunks until none is left or 5 s have passed; ring where there is more to read.

    At the beginning, so that another worker reads beside this one, else for the rest. Once at most: bells
    would become more and more while much waits.
    """
    bells: list[None] = []

    def ring_once() -> None:
        if not bells:
            bells.append(None)
            ring()

    if reading.read_waiting(seconds=READING_S, call_help=ring_once):
        ring_once()


@shared_task(name="ingest.tasks.sweep")
def sweep() -> None:
    """Give up imports whose sender has died, drop what was kept, read what lost bells left behind."""
    sweeping.give_up_broken()
    sweeping.let_go_of_kept()
    read_inbox()


@shared_task(name="ingest.tasks.look_at_folders")
def look_at_folders() -> None:
    """Read what has come to watched folders, for 5 s or so; the next look goes on."""
    watching.look(seconds=READING_S)
