"""The look-out beside the clock reads what waits although no worker does, whatever the broker is doing."""

import threading
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounting.models import UsageEvent
from ingest.models import Circuit, InboxChunk
from ingest.services.leases import Lease
from ingest.tasks import lookout
from tests.ingest.conftest import counted, event, ndjson
from tests.ingest.test_reading import Elsewhere


@pytest.fixture
def left_behind(push):
    """A push that has been waiting for a minute."""
    push(ndjson(event(1)))
    InboxChunk.objects.update(created_at=timezone.now() - timedelta(minutes=1))


def test_what_was_left_behind_is_read(left_behind):
    assert lookout.look()
    assert counted() == (1, 100)
    assert not lookout.look()


def test_what_came_just_now_is_left_to_the_workers(push):
    push(ndjson(event(1)))
    assert not lookout.look()
    assert not UsageEvent.objects.exists()


def test_while_a_worker_reads_anything_the_rest_is_left_to_it(left_behind):
    with Elsewhere(Lease.CHUNK, 999_999):
        assert not lookout.look()
    with Elsewhere(Lease.IMPORT, 999_999):
        assert lookout.look()


def test_while_reading_has_stopped_nothing_is_read(left_behind):
    Circuit.objects.create(id=1, set_aside_in_a_row=20, opened_at=timezone.now())
    assert not lookout.look()


def test_it_begins_with_the_clock_and_outlives_a_database_that_is_away(monkeypatch, caplog):
    looked, enough = [], threading.Event()

    def look():
        looked.append(threading.current_thread().name)
        if len(looked) == 1:
            raise OperationalError("gone")
        enough.set()
        enough_of_it.wait()

    enough_of_it = threading.Event()
    monkeypatch.setattr(lookout, "look", look)
    monkeypatch.setattr(lookout, "LOOK_S", 0.01)
    monkeypatch.setattr(lookout, "close_old_connections", lambda: None)
    lookout.beat_init.send(sender=None)
    assert enough.wait(10)
    assert looked == ["look-out"] * 2
    assert "could not be looked at: OperationalError" in caplog.text
