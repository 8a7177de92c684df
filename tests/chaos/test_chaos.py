"""Web, worker, broker and PostgreSQL die at random while four clients push: nothing is lost or doubled.

CHAOS_SECONDS (60) says how long for each broker, CHAOS_BROKERS (all of them) which brokers, as `redis` or with
seconds of its own as `redis:20`, CHAOS_SEED which faults. The seed and the figures of each run are printed at
the end, by the option -rP that `make chaos` gives.
"""

import os
import random
import time

import pytest

from tests.chaos.brokers import BROKERS, MISSING
from tests.chaos.checking import RIGHT, verdict, wait_until_read
from tests.chaos.clients import clients_of
from tests.chaos.faults import Faults
from tests.chaos.rig import rig_with

SECONDS = os.environ.get("CHAOS_SECONDS", "60")
FAULTS_A_MINUTE = 40
SEED = os.environ.get("CHAOS_SEED") or str(random.SystemRandom().randrange(10**9))
#: (broker, seconds)
WANTED = [
    (name, float(seconds or SECONDS))
    for name, _, seconds in (
        wanted.partition(":")
        for wanted in os.environ.get("CHAOS_BROKERS", " ".join(BROKERS)).split()
    )
]
CLIENTS = 4
IS_CI = bool(os.environ.get("CI"))

pytestmark = pytest.mark.chaos


@pytest.mark.parametrize(("broker", "seconds"), WANTED)
def test_nothing_promised_is_lost_or_counted_twice(broker, seconds):
    at_least = round(FAULTS_A_MINUTE * seconds / 60)
    if MISSING.get(broker) and not IS_CI:
        pytest.skip(f"{broker} is not installed")
    with rig_with(BROKERS[broker]) as rig:
        print(f"{broker}: seed {SEED}")
        faults = Faults(rig, SEED)
        rig.start()
        with clients_of(rig, CLIENTS, SEED) as journal:
            faults.rage(seconds, at_least)
        faults.settle()
        calm_since = time.monotonic()
        wait_until_read(rig)
        read_s = time.monotonic() - calm_since
        found = verdict(rig, journal)
        print(
            f"{faults.done.total()} faults {dict(faults.done)}; "
            f"answers {dict(journal.answers)}; {len(journal.promised)} events promised, "
            f"slowest answer {journal.slowest_s:.1f} s, all read {read_s:.1f} s after; {found}"
        )
        assert found == RIGHT
        assert faults.done.total() >= at_least
        # Else there was nothing to lose.
        assert len(journal.promised) > 10 * faults.done.total()
    assert not journal.wrong, journal.wrong[:5]
