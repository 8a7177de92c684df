"""The circuit: when chunk after chunk is set aside, reading stops until a person has looked.

A reader that a new version broke fails at everything. Without this it would set the whole inbox aside,
five attempts a chunk; with it the bytes wait, and are read once the reader is mended.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from ingest.models import Circuit

#: So many chunks set aside in a row, and none read between them, open the circuit.
LIMIT = 20
ANOTHER_SET_ASIDE = """
    INSERT INTO ingest_circuit AS c (id, set_aside_in_a_row)
    VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE
    SET set_aside_in_a_row = c.set_aside_in_a_row + 1,
        opened_at = CASE WHEN c.set_aside_in_a_row + 1 >= %(limit)s
                         THEN coalesce(c.opened_at, clock_timestamp()) END
    RETURNING set_aside_in_a_row = %(limit)s
"""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitState:
    """opened_at: since when nothing is read, None while reading goes on."""

    set_aside_in_a_row: int
    opened_at: datetime | None


def circuit_state() -> CircuitState:
    """How the circuit stands. One query."""
    found = Circuit.objects.first() or Circuit()
    return CircuitState(set_aside_in_a_row=found.set_aside_in_a_row, opened_at=found.opened_at)


def is_open() -> bool:
    """Whether reading has stopped."""
    return Circuit.objects.exclude(opened_at=None).exists()


def note_set_aside() -> None:
    """Count a chunk that was set aside. Runs last in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(ANOTHER_SET_ASIDE, {"limit": LIMIT})
        if cursor.fetchone()[0]:
            logger.critical(
                "%s chunks in a row could not be read: reading has stopped, the bytes are kept;"
                " see manage.py inbox list",
                LIMIT,
            )


def note_read() -> None:
    """Begin to count anew. Runs last in the caller's transaction; costs a look-up as a rule."""
    Circuit.objects.filter(opened_at=None, set_aside_in_a_row__gt=0).update(set_aside_in_a_row=0)


def resume() -> bool:
    """Let reading go on; whether it had stopped."""
    stopped = Circuit.objects.exclude(opened_at=None)
    return stopped.update(opened_at=None, set_aside_in_a_row=0) > 0
