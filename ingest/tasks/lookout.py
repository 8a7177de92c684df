"""A look-out beside Celery's clock: it reads what has waited although nobody reads.

Bells and sweeps reach the workers through a broker. When that is dead, or no worker has found its way back
to it yet, this still finds the inbox, in the clock's own process; it is one reader among others.
"""

import logging
import threading
import time
from datetime import timedelta
from typing import Any

from celery.signals import beat_init
from django.db import Error, close_old_connections

from ingest.services import reading, watching

LOOK_S = 2.0
#: What a bell or a sweep has not brought to a worker in this time, none will soon.
LATE = timedelta(seconds=6)
READING_S = 20.0

logger = logging.getLogger(__name__)


def look() -> bool:
    """Read what waits if it has waited for long and no worker reads; whether that was so.

    At watched folders too, if none does.
    """
    watching.look_where_nobody_does(seconds=READING_S)
    if not reading.is_left_alone(LATE):
        return False
    reading.read_waiting(seconds=READING_S)
    return True


@beat_init.connect
def keep_look_out(**_: Any) -> None:
    """Start the look-out in a thread of the clock, which never forks."""
    threading.Thread(target=_run, name="look-out", daemon=True).start()


def _run() -> None:
    is_alone = False
    while True:
        time.sleep(LOOK_S)
        close_old_connections()
        try:
            found = look()
        except Error as error:  # the database is away; it will be there again
            logger.warning("the inbox could not be looked at: %s", type(error).__name__)
            continue
        if found and not is_alone:
            logger.warning(
                "no worker reads the inbox, so the clock does;"
                " is the broker there, and do the hosts' clocks agree?"
            )
        is_alone = found
