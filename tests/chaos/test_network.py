"""A network that is slow, cuts or stalls between any two of us: nothing promised is lost or doubled."""

import time
from contextlib import closing

import pytest

from accounting.embedded.folders import SOCKET_NAME
from tests.chaos.brokers import Bells, Redis
from tests.chaos.checking import RIGHT, verdict, wait_until_read
from tests.chaos.clients import clients_of
from tests.chaos.proxy import Proxy
from tests.chaos.rig import rig_with
from tests.chaos.test_brokers import needs

pytestmark = pytest.mark.chaos


def trouble(proxy):
    """Half a second of delay, cuts in the middle, and a stall of seconds."""
    proxy.delay_s = 0.5
    time.sleep(3)
    proxy.delay_s = 0.02
    for _ in range(6):
        time.sleep(0.5)
        proxy.cut()
    proxy.is_stalled = True
    time.sleep(4)
    proxy.is_stalled = False
    proxy.cut()
    proxy.delay_s = 0.0
    time.sleep(2)


def test_between_the_senders_and_the_web_server():
    with rig_with(Bells) as rig, closing(Proxy(("127.0.0.1", rig.port))) as proxy:
        rig.start()
        with clients_of(rig, port=proxy.port) as journal:
            trouble(proxy)
        wait_until_read(rig)
        assert verdict(rig, journal) == RIGHT
        assert not journal.wrong
        assert journal.answers[202] > 10


@pytest.mark.parametrize("name", ["web", "worker"])
def test_between_us_and_the_database(name):
    with rig_with(Bells) as rig:
        upstream = rig.server.folder.socket_folder / SOCKET_NAME
        with closing(Proxy(upstream)) as proxy:
            process = getattr(rig, name)
            address = f"postgres://tallybook@127.0.0.1:{proxy.port}/tallybook"
            process.environment = {**process.environment, "DATABASE_URL": address}
            rig.start()
            with clients_of(rig) as journal:
                trouble(proxy)
            wait_until_read(rig)
            assert verdict(rig, journal) == RIGHT
            assert not journal.wrong
            assert journal.answers[202] > 10


def test_between_us_and_the_broker():
    needs(Redis)
    with rig_with(Redis) as rig, closing(Proxy(("127.0.0.1", rig.broker.port))) as proxy:
        for process in rig.processes:
            address = f"redis://127.0.0.1:{proxy.port}/0"
            process.environment = {**process.environment, "CELERY_BROKER_URL": address}
        rig.start()
        with clients_of(rig) as journal:
            trouble(proxy)
        wait_until_read(rig)
        assert verdict(rig, journal) == RIGHT
        assert not journal.wrong
