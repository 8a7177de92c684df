import multiprocessing
import threading
from functools import partial
from pathlib import Path

import pytest
from kombu import Connection, Queue

from accounting.config import celery_app
from accounting.embedded.folders import DataFolder

BELL = Queue("celery", routing_key="celery")


@pytest.fixture
def connect(tmp_path):
    return partial(connection_to, tmp_path)


def connection_to(path: Path) -> Connection:
    assert celery_app.conf.broker_url  # importing the application made the scheme known
    folder = DataFolder(path)
    return Connection(folder.bell_url, transport_options=folder.bell_options)


def ring(connection: Connection, *numbers: int) -> None:
    with connection, connection.channel() as channel:
        producer = connection.Producer(channel)
        for number in numbers:
            producer.publish(
                {"number": number, "padding": "x" * 100_000},
                routing_key="celery",
                declare=[BELL],
                serializer="json",
            )


def heard(connection: Connection, until_quiet_s: float = 0.5) -> list[int]:
    numbers = []

    def note(body, message):
        numbers.append(body["number"])
        message.ack()

    with connection, connection.Consumer([BELL], callbacks=[note], accept=["json"]):
        while True:
            try:
                connection.drain_events(timeout=until_quiet_s)
            except TimeoutError:
                return numbers


def test_bells_arrive_once_and_in_order(connect):
    ring(connect(), 1, 2, 3)
    assert heard(connect()) == [1, 2, 3]
    assert heard(connect()) == []


def test_a_reader_never_sees_half_a_bell(connect):
    writing = threading.Thread(target=ring, args=(connect(), *range(200)))
    writing.start()
    numbers = heard(connect(), until_quiet_s=1)
    writing.join()
    assert numbers == list(range(200))


def heard_in(path: Path) -> list[int]:
    return heard(connection_to(path))


def test_of_two_readers_each_bell_has_one(connect, tmp_path):
    ring(connect(), *range(100))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        first, second = pool.map(heard_in, [tmp_path, tmp_path])
    assert sorted(first + second) == list(range(100))


def test_a_bell_that_cannot_be_read_is_dropped(connect, tmp_path):
    ring(connect(), 1)
    broken = tmp_path / "bells" / "00000000000000000000_x.celery.msg"
    broken.write_text('{"body": ')
    assert heard(connect()) == [1]
    assert list((tmp_path / "bells").iterdir()) == []
