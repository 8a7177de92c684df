"""Eight workers post the same events into the same two hours at once, and none runs into another."""

import random
from contextlib import contextmanager

import pytest

from tests.chaos.brokers import Bells
from tests.chaos.checking import RIGHT, verdict, wait_until_read
from tests.chaos.clients import Client, Journal
from tests.chaos.processes import wait_until
from tests.chaos.rig import rig_with

pytestmark = pytest.mark.chaos

WORKERS = 8
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
BUSY = """
    SELECT count(*) FROM pg_stat_activity
    WHERE application_name = 'worker' AND wait_event_type = 'Lock'
"""
PUSHES = 24
#: Above 256 KB, so that each push is a transaction of its own.
SIZE = 1_200
#: So many different events; each is told some six times, in three lengths.
EVENTS = 5_000


def hot_batch(chance):
    """Events between 10:00 and 12:00 of a day in the middle of nothing, none near a month's edge."""
    numbers = (chance.randrange(EVENTS) for _ in range(SIZE))
    return {n // 120 * 4_000 + 600 + n % 120: chance.choice([0, 0, 1, 2]) for n in numbers}


def test_eight_workers_on_the_same_hot_hours_never_run_into_each_other():
    with hot_hours("celery") as (rig, journal):
        wait_until_read(rig)
        assert verdict(rig, journal) == RIGHT
        assert rig.value(DEADLOCKS) == 0


def test_eight_workers_that_insert_in_no_order_do():
    """The control. It would never come to an end: whoever was thrown out comes again, and so do all."""
    with hot_hours("tests.chaos.unsorted") as (rig, _):
        wait_until(lambda: rig.value(DEADLOCKS) > 0, what="a deadlock")


@contextmanager
def hot_hours(worker_module):
    """A rig whose eight workers have just begun to insert in the same moment, and the journal."""
    with rig_with(Bells, worker_module=worker_module) as rig:
        rig.worker.command[rig.worker.command.index("--concurrency") + 1] = str(WORKERS)
        ringing = rig.process("ringing", "-m", "tests.chaos.ringing")
        rig.start()
        ringing.start()
        try:
            yield rig, push_while_nobody_inserts(rig)
        finally:
            ringing.kill()


def push_while_nobody_inserts(rig):
    """Have eight workers come as far as their insert and go on in the same moment; the journal."""
    journal = Journal()
    client = Client(0, port=rig.port, token=rig.token, journal=journal, seed=1)
    chance = random.Random(1)
    client.push(dict.fromkeys(range(600, 720), 0), "first")
    wait_until_read(rig)  # the month's partition is there
    with rig.locked("accounting_usageevent"):
        for number in range(PUSHES):
            client.push(hot_batch(chance), f"hot-{number}")
        assert journal.answers == {202: PUSHES + 1}
        wait_until(lambda: rig.value(BUSY) == WORKERS, what="eight workers")
    return journal
