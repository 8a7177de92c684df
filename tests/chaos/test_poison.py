"""A part that ends every worker which reads it is set aside, and those beside it are read meanwhile."""

import pytest

from tests.chaos.brokers import Bells
from tests.chaos.clients import Client, Journal
from tests.chaos.processes import wait_until
from tests.chaos.rig import rig_with

pytestmark = pytest.mark.chaos

DONE = "SELECT count(*) FROM ingest_inboxchunk WHERE state = 'done'"
ASIDE = "SELECT attempts, reason FROM ingest_inboxchunk WHERE state = 'quarantined'"
NEIGHBOURS = 20
READ_S = 30


def test_a_push_that_kills_its_reader_is_set_aside_and_the_others_are_read():
    with rig_with(Bells, worker_module="tests.chaos.poisoned") as rig:
        # The clock reads what no worker does, and is no worker of this kind.
        rig.start(but=["worker", "beat"])
        journal = Journal()
        client = Client(0, port=rig.port, token=rig.token, journal=journal, seed=1)
        for number in range(NEIGHBOURS):
            client.push({number: 0}, f"k-{number}")
            if number == 3:
                client.push_body(b'{"id": "poison", "input_tokens": 1}\n', "poison")
        assert journal.answers == {202: NEIGHBOURS + 1}
        rig.worker.start()
        ringing = rig.process("ringing", "-m", "tests.chaos.ringing")
        ringing.start()
        try:
            wait_until(lambda: rig.value(DONE) == NEIGHBOURS, seconds=READ_S, what="its neighbours")
            wait_until(lambda: rig.rows(ASIDE), seconds=60, what="setting it aside")
        finally:
            ringing.kill()
        [(attempts, reason)] = rig.rows(ASIDE)
        assert attempts == 5
        assert reason == "the worker ended 5 times while reading it"
        assert rig.value(DONE) == NEIGHBOURS
