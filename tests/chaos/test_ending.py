"""Asked to end under load, web server and worker finish what they are at, and lose nothing."""

import time

import pytest

from tests.chaos.brokers import Bells
from tests.chaos.checking import RIGHT, verdict, wait_until_read
from tests.chaos.clients import clients_of, wait_for_promises
from tests.chaos.rig import rig_with

pytestmark = pytest.mark.chaos

PATIENCE_S = 30


def test_web_server_and_worker_end_within_half_a_minute_and_nothing_is_lost():
    with rig_with(Bells) as rig:
        rig.start()
        with clients_of(rig) as journal:
            for process in (rig.web, rig.worker, rig.web):
                wait_for_promises(journal, 20)
                assert process.stop(PATIENCE_S) == 0
                process.start()
            time.sleep(1)
        wait_until_read(rig)
        assert verdict(rig, journal) == RIGHT
        # A connection that is refused or ended is no answer; an answer is a promise or "come again".
        assert not journal.wrong
