"""The disk of the books fills up: nothing that was promised is lost, and nobody is told a lie."""

import os

import pytest

from ingest.services.room import FREE_BYTES, free_bytes
from tests.chaos.brokers import Bells
from tests.chaos.checking import RIGHT, verdict, wait_until_read
from tests.chaos.clients import clients_of, wait_for_promises
from tests.chaos.clusters import may_mount
from tests.chaos.processes import wait_until
from tests.chaos.rig import rig_with

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(not may_mount(), reason="a disk of its own needs the right to mount one"),
]


def fill(folder, *, leave):
    """Take the room on the disk of a folder, but for so many bytes; the file that takes it."""
    ballast = folder / "ballast"
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, free_bytes(folder) - leave)
    return ballast


def test_a_full_disk_ends_postgresql_and_not_what_was_promised():
    """Of a server of one's own nothing is known: it fills, dies, and is started again with more room."""
    with rig_with(Bells, disk_mb=600) as rig:
        rig.start()
        with clients_of(rig) as journal:
            wait_for_promises(journal, 20)
            ballast = fill(rig.folder, leave=8_000_000)
            wait_until(lambda: journal.answers[503] > 20, seconds=120, what="a full disk")
            ballast.unlink()
            rig.server.revive()
            wait_for_promises(journal, 20)
        wait_until_read(rig)
        assert verdict(rig, journal) == RIGHT
        assert not journal.wrong


def test_before_the_disk_of_the_private_server_is_full_nothing_more_is_taken_in():
    """A gigabyte must be free: below it pushes are told to come again, and PostgreSQL goes on."""
    with rig_with(Bells, disk_mb=1_500, is_private=True) as rig:
        rig.start()
        postmaster = rig.postmaster()
        with clients_of(rig) as journal:
            wait_for_promises(journal, 20)
            ballast = fill(rig.folder, leave=FREE_BYTES - 1_000_000)
            wait_until(lambda: journal.answers[503] > 20, seconds=120, what="a full disk")
            wait_until_read(rig)  # what was taken in before still finds its way into the books
            ballast.unlink()
            wait_for_promises(journal, 20)
        wait_until_read(rig)
        assert verdict(rig, journal) == RIGHT
        assert not journal.wrong
        assert rig.postmaster() == postmaster
