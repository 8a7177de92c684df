"""The chaos test sees what it looks for: with a promise that is none, or sums of the input, it fails."""

import pytest

from tests.chaos.brokers import Bells
from tests.chaos.checking import RIGHT, verdict, wait_until_read
from tests.chaos.clients import clients_of, wait_for_promises
from tests.chaos.rig import rig_with

pytestmark = pytest.mark.chaos

#: As little on the disk as possible: only a commit that waits for it can be relied on.
LAZY = {"synchronous_commit": "off", "wal_writer_delay": "10s", "wal_writer_flush_after": "1GB"}


@pytest.mark.parametrize(
    ("application", "is_lost"), [("tests.chaos.careless:application", True), ("", False)]
)
def test_a_promise_that_is_not_on_the_disk_is_lost_with_the_server(application, is_lost):
    """The same server, careless by itself: only what the web server asks of it differs."""
    with rig_with(Bells, options=LAZY, application=application) as rig:
        rig.start()
        with clients_of(rig) as journal:
            for _ in range(3):
                wait_for_promises(journal, 30)
                rig.kill_postgres()
                rig.server.revive()
        wait_until_read(rig)
        found = verdict(rig, journal)
    assert (found.lost > 0) is is_lost, found
    assert (found == RIGHT) is not is_lost
    assert is_lost or not journal.wrong


def test_rollups_of_what_was_told_differ_from_the_ledger():
    with rig_with(Bells, worker_module="tests.chaos.from_input") as rig:
        rig.start()
        with clients_of(rig) as journal:
            wait_for_promises(journal, 60)
        wait_until_read(rig)
        found = verdict(rig, journal)
    assert found.rollup_differences > 0
    assert found.wrong_hours > 0
    assert (found.lost, found.doubled) == (0, 0)
