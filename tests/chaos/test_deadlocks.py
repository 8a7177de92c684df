"""Eight workers post the same events into the same two hours at once, and none runs into another."""

import random

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


@pytest.mark.parametrize(
    ("module", "may_collide"), [("celery", False), ("tests.chaos.unsorted", True)]
)
def test_eight_workers_on_the_same_hot_hours(module, may_collide):
    with rig_with(Bells, worker_module=module) as rig:
        rig.worker.command[rig.worker.command.index("--concurrency") + 1] = str(WORKERS)
        ringing = rig.process("ringing", "-m", "tests.chaos.ringing")
        rig.start()
        ringing.start()
        try:
            journal = push_while_nobody_reads(rig)
            wait_until_read(rig)
        finally:
            ringing.kill()
        assert verdict(rig, journal) == RIGHT
        assert (rig.value(DEADLOCKS) > 0) is may_collide


def push_while_nobody_reads(rig):
    """Have all pushes and all workers wait for the same moment; the journal."""
    journal = Journal()
    client = Client(0, port=rig.port, token=rig.token, journal=journal, seed=1)
    chance = random.Random(1)
    with rig.locked("ingest_circuit"):  # whoever reads looks there first
        for number in range(PUSHES):
            client.push(hot_batch(chance), f"hot-{number}")
        assert journal.answers == {202: PUSHES}
        wait_until(lambda: rig.value(BUSY) == WORKERS, what="eight workers")
    return journal
