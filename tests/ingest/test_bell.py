"""The bell wakes the workers and never holds up or fails whoever rings."""

import os
import subprocess
import sys
import time

import pytest
from kombu.exceptions import OperationalError

from ingest import tasks
from ingest.tasks import bell
from tests.ingest.conftest import counted, event, ndjson


@pytest.fixture
def sent(monkeypatch):
    """The names of the tasks that were sent, with the moment of each."""
    found = []
    monkeypatch.setattr(bell, "PAUSE_S", 0.2)
    monkeypatch.setattr(
        bell.app, "send_task", lambda name, **_: found.append((name, time.monotonic()))
    )
    return found


def heard(bells, number):
    """Wait for so many bells."""
    ends_at = time.monotonic() + 10
    while len(bells) < number:
        assert time.monotonic() < ends_at, bells
        time.sleep(0.01)


def test_many_rings_are_few_bells(sent):
    rope = bell.Bell()
    for _ in range(1000):
        rope.ring()
    heard(sent, 1)
    time.sleep(0.5)
    assert len(sent) < 10
    assert sent[0][0] == "ingest.tasks.read_inbox"


def test_a_ring_after_a_bell_is_heard_too(sent):
    rope = bell.Bell()
    rope.ring()
    heard(sent, 1)
    rope.ring()
    heard(sent, 2)
    assert sent[1][1] - sent[0][1] >= 0.19


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bell_that_broke_down_is_rung_again(sent, monkeypatch):
    monkeypatch.setattr(bell, "PAUSE_S", -1)  # what no thread can sleep
    rope = bell.Bell()
    rope.ring()
    heard(sent, 1)
    rope._thread.join(10)
    monkeypatch.setattr(bell, "PAUSE_S", 0.05)
    rope.ring()
    heard(sent, 2)


def test_a_broker_that_is_down_fails_nobody(monkeypatch, caplog):
    tried = []

    def refuse(*_, **__):
        tried.append(1)
        raise OperationalError("connection refused")

    monkeypatch.setattr(bell, "PAUSE_S", 0.05)
    monkeypatch.setattr(bell.app, "send_task", refuse)
    rope = bell.Bell()
    for number in range(1, 5):
        rope.ring()
        heard(tried, number)
    assert rope._thread.is_alive()
    assert len([r for r in caplog.records if "no bell could be sent" in r.message]) == 1


def test_a_web_server_has_loaded_what_speaks_to_its_broker_before_the_first_push():
    """The first bell would else load it in the middle of pushes, which on a busy machine held them up."""
    script = "import accounting.config.asgi, sys; print('redis' in sys.modules)"
    said = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env={**os.environ, "CELERY_BROKER_URL": "redis://127.0.0.1:1/0"},  # where nobody answers
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == "True\n"


def test_a_push_rings(push, monkeypatch, django_capture_on_commit_callbacks):
    rung = []
    monkeypatch.setattr("ingest.api.push.ring", lambda: rung.append(1))
    with django_capture_on_commit_callbacks(execute=True):
        push(ndjson(event(1)))
    assert rung == [1]


def test_the_sweep_reads_what_a_lost_bell_left_behind(push):
    push(ndjson(event(1)))
    tasks.sweep()
    assert counted() == (1, 100)


def test_a_task_whose_time_is_up_rings_for_the_rest(push, monkeypatch):
    rung = []
    monkeypatch.setattr(tasks, "ring", lambda: rung.append(1))
    monkeypatch.setattr(tasks, "READING_S", -1)
    push(ndjson(event(1)))
    tasks.read_inbox()
    assert rung == [1]


@pytest.mark.parametrize("seconds", [5, -1])
def test_a_task_that_finds_more_than_it_reads_at_once_rings_for_another_worker(
    push, monkeypatch, seconds
):
    rung = []
    monkeypatch.setattr(tasks, "ring", lambda: rung.append(counted()))
    monkeypatch.setattr(tasks, "READING_S", seconds)
    monkeypatch.setattr("ingest.services.together.TOGETHER_CHUNKS", 1)
    push(ndjson(event(1)))
    push(ndjson(event(2)))
    tasks.read_inbox()
    assert rung == [(0, 0)]


def test_hosts_whose_clocks_are_minutes_apart_do_not_drop_each_other_s_messages():
    """A message's end is a time of the sender's clock, and is compared with the worker's."""
    sent = {name: entry["options"] for name, entry in bell.app.conf.beat_schedule.items()}
    assert sent["ingest.tasks.sweep"] == {"expires": 300}
    assert all(options["expires"] >= 300 for options in sent.values())
    assert bell.EXPIRES_S == 300


def test_a_worker_listens_whatever_it_is_at():
    """With late acknowledgements and a limit, a Redis that dies while all are busy is never missed."""
    assert not bell.app.conf.task_acks_late
    assert bell.app.conf.worker_prefetch_multiplier == 0
    assert bell.app.conf.broker_connection_max_retries is None
