"""The broker carries bells alone: dead, forgetful or repeating itself, it changes nothing in the books."""

import itertools
import threading
import time

import pytest

from ingest.tasks.bell import PAUSE_S
from ingest.tasks.lookout import LATE, LOOK_S
from tests.chaos.brokers import MISSING, Bells, RabbitMq, Redis
from tests.chaos.checking import RIGHT, WAITING, verdict, wait_until_read
from tests.chaos.clients import Client, Journal, clients_of
from tests.chaos.processes import wait_until
from tests.chaos.rig import rig_with
from tests.chaos.test_chaos import IS_CI

pytestmark = pytest.mark.chaos

DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
HELD_UP = """
    SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND wait_event_type = 'Lock'
"""
ATTEMPTED_AGAIN = "SELECT count(*) FROM ingest_inboxchunk WHERE attempts <> 1"
SERVERS = (Redis, RabbitMq)
NAMES = ("redis", "rabbitmq")
ANSWER_S = 1.5
READ_S = 10
#: A worker that lost its broker tries again after 2, 4, 6 … s.
HEARS_S = 120
DEATHS = 3


def needs(kind):
    if MISSING.get(kind.name) and not IS_CI:
        pytest.skip(f"{kind.name} is not installed")


@pytest.mark.parametrize("kind", SERVERS, ids=NAMES)
def test_without_a_broker_pushes_are_answered_and_read(kind):
    needs(kind)
    with rig_with(kind) as rig:
        rig.start(but=[kind.name, "beat"])
        journal, client = pusher(rig)
        for number in range(1, 21):
            client.push({number: 0}, f"k-{number}")
        assert journal.answers == {202: 21}
        assert journal.slowest_s < ANSWER_S
        time.sleep(3)
        assert rig.value(WAITING) == 21  # the control: without a clock nobody looks
        rig.beat.start()
        wait_until_read(rig, seconds=READ_S * 2)  # the start of the clock is in it
        assert verdict(rig, journal) == RIGHT


@pytest.mark.parametrize("fault", ["kill", "pause"])
@pytest.mark.parametrize("kind", SERVERS, ids=NAMES)
def test_a_broker_that_dies_or_hangs_on_the_way_holds_nobody_up(kind, fault):
    """The clock's look-out finds what has waited for 6 s, and looks every 2 s."""
    needs(kind)
    with rig_with(kind) as rig:
        rig.start()
        wait_until(lambda: rig.has_session("worker"), what="the worker")
        journal, client = pusher(rig)
        wait_until_read(rig)
        getattr(rig.broker.process, fault)()
        for number in range(1, 21):
            client.push({number: 0}, f"k-{number}")
            time.sleep(0.1)
        assert journal.answers == {202: 21}
        assert journal.slowest_s < ANSWER_S
        wait_until_read(rig, seconds=LATE.total_seconds() + LOOK_S + READ_S)
        assert verdict(rig, journal) == RIGHT


@pytest.mark.parametrize("fault", ["kill", "pause"])
@pytest.mark.parametrize("kind", SERVERS, ids=NAMES)
def test_a_worker_hears_again_after_its_broker_died_while_all_its_children_were_busy(kind, fault):
    """It once waited for ever for acknowledgements that a dead Redis never got.

    Redis must be back before anything else of the worker's misses it, so several times. There is no clock:
    what is read was told by a bell, and read by the worker.
    """
    needs(kind)
    with rig_with(kind) as rig:
        rig.start(but=["beat"])
        journal, client = pusher(rig)
        numbers = itertools.count(1)
        for _ in range(DEATHS):
            push_until_read(rig, client, numbers)
            with rig.locked("ingest_circuit"):  # whoever reads looks there first
                for _ in range(5):
                    client.push({next(numbers): 0}, "")
                    time.sleep(PAUSE_S + 0.1)  # each a bell of its own
                wait_until(lambda: rig.value(HELD_UP, ["worker"]) == 2, what="two busy children")
                getattr(rig.broker.process, fault)()
            wait_until_read(rig)
            time.sleep(0.5)  # what is acknowledged late is acknowledged now
            if fault == "kill":
                rig.broker.start()
            else:
                rig.broker.process.go_on()
            wait_until(rig.broker.is_up, what=rig.broker.name)
        push_until_read(rig, client, numbers)
        assert verdict(rig, journal) == RIGHT


def push_until_read(rig, client, numbers):
    """Ring again and again: the first bells may go to a connection that has ended."""

    def is_read():
        client.push({next(numbers): 0}, "")
        time.sleep(1)
        return rig.value(WAITING) == 0

    wait_until(is_read, seconds=HEARS_S, what="the worker's hearing")


def pusher(rig):
    """A client whose first push has been answered, and its journal: a new server loads the readers first."""
    journal = Journal()
    client = Client(0, port=rig.port, token=rig.token, journal=journal, seed=1)
    client.push({0: 0}, "warm")
    journal.slowest_s = 0.0
    return journal, client


@pytest.mark.parametrize("kind", [Bells, Redis], ids=["bells", "redis"])
def test_a_broker_that_forgets_everything_all_the_time_delays_nothing_for_long(kind):
    needs(kind)
    with rig_with(kind) as rig:
        rig.start()
        with clients_of(rig) as journal:
            for _ in range(25):
                rig.broker.forget()
                time.sleep(0.2)
        wait_until_read(rig, seconds=READ_S * 2)
        assert verdict(rig, journal) == RIGHT
        assert not journal.wrong


def test_two_clocks_two_workers_and_every_bell_three_times_count_nothing_twice():
    with rig_with(Bells) as rig:
        twins = [rig.process("worker-2", *rig.worker.command[3:])]
        twins.append(rig.process("beat-2", *rig.beat.command[3:]))
        twins.append(rig.process("ringing", "-m", "tests.chaos.ringing"))
        rig.start()
        try:
            for twin in twins:
                twin.start()
            with clients_of(rig) as journal:
                for number in range(5):
                    at_once(rig, journal, number)
                code, said = rig.manage("rollups", "rebuild")  # beside those that read
                assert code == 0, said
            wait_until_read(rig)
            assert verdict(rig, journal) == RIGHT
            assert not journal.wrong
            assert rig.value(DEADLOCKS) == 0
            # Nobody died: had two been at one part, each would have counted an attempt.
            assert rig.value(ATTEMPTED_AGAIN) == 0
        finally:
            for twin in twins:
                twin.kill()


def at_once(rig, journal, number):
    """The same batch by ten senders in the same moment, with one key."""
    token = rig.token
    batch = dict.fromkeys(range(100_000 + number * 50, 100_050 + number * 50), 0)
    senders = [
        Client(f"x{n}", port=rig.port, token=token, journal=journal, seed=n) for n in range(10)
    ]
    threads = [
        threading.Thread(target=sender.push, args=(batch, f"at-once-{number}"))
        for sender in senders
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
