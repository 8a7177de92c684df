"""A database that fails while chunks are read charges none of them: a full disk is nobody's fault but its own."""

import pytest
from django.db import OperationalError
from psycopg.errors import DiskFull

from ingest.models import Circuit, InboxChunk
from ingest.services import attempts, quarantine, reading, together
from tests.ingest.conftest import counted, event, ndjson

OUTAGES = 3 * quarantine.ATTEMPTS


@pytest.fixture
def full_disk(monkeypatch):
    """Has the database refuse what these functions write, until it is called."""
    refused = []

    def refuse(*_arguments):
        raise OperationalError("could not extend file") from DiskFull()

    def fill(module, name):
        refused.append((module, name, getattr(module, name)))
        monkeypatch.setattr(module, name, refuse)

    def make_room():
        for module, name, right in refused:
            monkeypatch.setattr(module, name, right)

    fill.make_room = make_room
    yield fill
    attempts._owed.clear()


def read():
    with pytest.raises(OperationalError):
        reading.read_waiting(seconds=60)


@pytest.mark.parametrize("pushes", [1, 3], ids=["alone", "together"])
def test_a_full_disk_sets_nothing_aside(push, full_disk, pushes):
    for number in range(pushes):
        push(ndjson(event(number)))
    full_disk(reading, "book_chunk")
    full_disk(together, "_book")
    for _ in range(OUTAGES):
        read()
    assert set(InboxChunk.objects.values_list("state", "attempts")) == {("ready", 0)}
    full_disk.make_room()
    reading.read_waiting(seconds=60)
    assert counted()[0] == pushes
    assert not Circuit.objects.filter(opened_at__isnull=False).exists()


def test_what_can_not_be_taken_back_at_once_is_before_anything_else_is_begun(push, full_disk):
    push(ndjson(event(1)))
    full_disk(reading, "book_chunk")
    full_disk(attempts, "give_back")
    for _ in range(OUTAGES):
        read()
    assert InboxChunk.objects.get().attempts == 1
    full_disk.make_room()
    reading.read_waiting(seconds=60)
    assert (counted()[0], InboxChunk.objects.get().attempts) == (1, 1)
