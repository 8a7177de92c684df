"""The broker carries bells alone: dead, forgetful or repeating itself, it changes nothing in the books."""

import threading
import time

import pytest

from tests.chaos.brokers import MISSING, Bells, RabbitMq, Redis
from tests.chaos.checking import RIGHT, WAITING, verdict, wait_until_read
from tests.chaos.clients import Client, Journal, clients_of
from tests.chaos.rig import rig_with
from tests.chaos.test_chaos import IS_CI

pytestmark = pytest.mark.chaos

DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
ANSWER_S = 1.5
READ_S = 10


def needs(kind):
    if MISSING.get(kind.name) and not IS_CI:
        pytest.skip(f"{kind.name} is not installed")


@pytest.mark.parametrize("kind", [Redis, RabbitMq], ids=["redis", "rabbitmq"])
def test_without_a_broker_pushes_are_answered_and_read(kind):
    needs(kind)
    with rig_with(kind) as rig:
        rig.start(but=[kind.name, "beat"])
        journal = Journal()
        client = Client(0, port=rig.port, token=rig.token, journal=journal, seed=1)
        client.push({0: 0}, "warm")  # the first request of a server loads the readers
        journal.slowest_s = 0.0
        for number in range(1, 21):
            client.push({number: 0}, f"k-{number}")
        assert journal.answers == {202: 21}
        assert journal.slowest_s < ANSWER_S
        time.sleep(3)
        assert rig.value(WAITING) == 21  # the control: without a clock nobody looks
        rig.beat.start()
        wait_until_read(rig, seconds=READ_S * 2)  # the start of the clock is in it
        assert verdict(rig, journal) == RIGHT


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
