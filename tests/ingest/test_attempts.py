"""A database that fails while chunks are read charges none of them: a full disk is nobody's fault but its own."""

import pytest
from django.db import OperationalError
from psycopg import OperationalError as PsycopgError
from psycopg.errors import DiskFull

from ingest.models import Circuit, InboxChunk
from ingest.services import attempts, quarantine, reading, together
from tests.ingest.conftest import counted, event, ndjson
from tests.ingest.poison import poison

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


def test_a_chunk_that_breaks_the_connection_every_time_is_set_aside(push, monkeypatch):
    def break_off(*_arguments):
        raise OperationalError("the connection is lost") from PsycopgError()

    monkeypatch.setattr(reading, "book_chunk", break_off)
    push(ndjson(event(1)))
    for _ in range(quarantine.ATTEMPTS):
        read()
    reading.read_waiting(seconds=60)
    assert InboxChunk.objects.get().state == "quarantined"


def test_what_broke_down_by_itself_stays_charged_when_the_disk_is_full_too(
    push, monkeypatch, full_disk
):
    poison(monkeypatch)
    push(ndjson(event("poison")))
    push(ndjson(event(2)))
    push(ndjson(event(3)))
    full_disk(together, "_book")
    read()
    assert list(InboxChunk.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 0, 0]
