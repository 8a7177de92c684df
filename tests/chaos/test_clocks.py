"""Hosts whose clocks are minutes apart: bells are heard all the same, and time is PostgreSQL's alone."""

import itertools
from pathlib import Path

import pytest

from tests.chaos.brokers import Bells
from tests.chaos.checking import RIGHT, verdict
from tests.chaos.rig import rig_with
from tests.chaos.test_brokers import push_until_read, pusher

LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(LIBRARY is None, reason="libfaketime is not installed"),
]
#: Only times of day are faked, no time-outs.
BEHIND = {"FAKETIME": "-4m", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
#: How far the books think the requests came from their own clock.
RECEIVED_OFF = "SELECT max(abs(extract(epoch FROM now() - received_at))) FROM accounting_import"


def test_a_worker_hears_bells_of_a_host_whose_clock_is_four_minutes_behind():
    """A bell ends at a time of its sender's clock. Without beat: what is read was told by a bell."""
    with rig_with(Bells) as rig:
        rig.web.environment = {**rig.web.environment, "LD_PRELOAD": str(LIBRARY), **BEHIND}
        rig.start(but=["beat"])
        journal, client = pusher(rig)
        push_until_read(rig, client, itertools.count(1))
        assert rig.value(RECEIVED_OFF) < 200
        assert verdict(rig, journal) == RIGHT
