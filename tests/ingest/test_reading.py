"""The worker's side of the inbox: order, attempts, quarantine, leases, what is left behind."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connections
from django.utils import timezone

from accounting.models import Import, UsageEvent
from ingest.formats import cutting
from ingest.formats.native import FORMAT as NATIVE
from ingest.models import InboxChunk
from ingest.services import chunks, paths, quarantine, reading, receive, sweeping
from ingest.services.leases import Lease
from ingest.services.receive import Sender
from tests.ingest.conftest import (
    counted,
    event,
    is_conserved,
    ndjson,
    read_all,
    timings,
)


class Bytes:
    def __init__(self, body):
        self.body = body

    def read(self, size):
        piece, self.body = self.body[:size], self.body[size:]
        return piece


@pytest.fixture
def small_cuts(monkeypatch):
    """Chunks of a few lines instead of eight megabytes."""

    def cut(stream, layout):
        return cutting.cut(stream, layout, 500)

    monkeypatch.setattr(receive, "cut", cut)


@pytest.fixture
def send(books):
    def sent(body, name="a.jsonl"):
        sender = Sender(organization_id=books.pk, name=name)
        receipt = receive.receive_upload(
            sender=sender, stream=Bytes(body), limit=10**9, expected=len(body)
        )
        return Import.objects.get(pk=receipt.import_id)

    return sent


@pytest.fixture
def poisoned(monkeypatch):
    """The reader breaks down at a record with the id 'poison'."""
    plain = NATIVE.read

    def read(items, options, state):
        for item in items:
            if b"poison" in item.body:
                raise RuntimeError("secret prompt")
            yield from plain([item], options, state)

    monkeypatch.setattr(chunks, "format_of", lambda _: replace(NATIVE, read=read))


def states(source):
    return [chunk.state for chunk in source.chunks.order_by("number")]


def test_a_file_of_many_chunks_counts_every_line_once(send, small_cuts):
    source = send(ndjson(*(event(n) for n in range(20))))
    assert len(states(source)) > 3
    read_all()
    source.refresh_from_db()
    assert (source.state, source.lines, source.recorded) == ("done", 20, 20)
    assert counted() == (20, 2000)
    assert set(UsageEvent.objects.values_list("line", flat=True)) == set(range(1, 21))


def test_chunks_of_a_format_with_state_are_read_in_order(send, small_cuts):
    rows = timings(1) * 30
    source = send(rows)
    chunks = list(source.chunks.order_by("number"))
    assert len(chunks) > 2
    reading.read_chunk(chunks[0].pk)
    assert states(source)[:2] == ["done", "ready"]
    read_all()
    source.refresh_from_db()
    # Equal rows are told apart by their number in the run, which goes on from chunk to chunk.
    assert (source.state, source.recorded, source.duplicates) == ("done", 30, 0)


def test_a_chunk_out_of_turn_is_not_offered(send, small_cuts):
    source = send(timings(30))
    first = source.chunks.get(number=1)
    with Elsewhere(Lease.CHUNK, first.pk):
        assert not reading.read_waiting(seconds=30)
    assert set(states(source)) == {"ready"}


def test_what_a_worker_holds_others_leave_alone(send):
    source = send(ndjson(event(1)))
    with Elsewhere(Lease.CHUNK, source.chunks.get().pk):
        reading.read_chunk(source.chunks.get().pk)
        assert source.chunks.get().attempts == 0
    read_all()
    assert counted() == (1, 100)


def test_a_poisonous_chunk_is_set_aside_and_its_neighbours_are_done(send, small_cuts, poisoned):
    lines = [event(n) for n in range(20)]
    lines[9] = event("poison")
    source = send(ndjson(*lines))
    other = send(ndjson(event("other")), "b.jsonl")
    for _ in range(quarantine.ATTEMPTS):
        reading.read_waiting(seconds=30)
    source.refresh_from_db()
    other.refresh_from_db()
    assert sorted(set(states(source))) == ["done", "quarantined"]
    assert states(source).count("quarantined") == 1
    assert (source.state, other.state) == ("quarantined", "done")
    bad = source.chunks.get(state="quarantined")
    assert bad.attempts == 5
    assert "RuntimeError" in bad.reason
    assert "secret" not in bad.reason
    assert is_conserved(source)
    assert counted()[0] == source.recorded + 1


def test_after_a_poisonous_chunk_no_later_one_of_a_format_with_state_is_read(
    send, small_cuts, monkeypatch
):
    source = send(timings(30))
    monkeypatch.setattr(chunks, "attribution_of", break_down)
    for _ in range(quarantine.ATTEMPTS):
        reading.read_waiting(seconds=30)
    assert set(states(source)) == {"quarantined"}
    source.refresh_from_db()
    assert (source.state, source.lines) == ("quarantined", 0)


def test_a_worker_that_is_killed_every_time_does_not_loop_for_ever(send):
    source = send(ndjson(event(1)))
    InboxChunk.objects.update(attempts=quarantine.ATTEMPTS)
    reading.read_waiting(seconds=30)
    source.refresh_from_db()
    assert source.state == "quarantined"
    assert "ended 5 times" in source.chunks.get().reason


def test_a_path_that_breaks_the_reader_is_named_without_its_text(ingest, log, monkeypatch, caplog):
    monkeypatch.setattr(paths, "attribution_of", break_down)
    (told, _), code = ingest(log("a.jsonl", ndjson(event(1))))
    assert (told["state"], code) == ("failed", 1)
    assert "RuntimeError in test_reading.py, line" in told["rejections"][0]["reason"]
    assert "RuntimeError in test_reading.py, line" in caplog.text
    assert "secret" not in caplog.text + told["rejections"][0]["reason"]


def test_reading_stops_when_its_time_is_up_and_says_that_work_is_left(send):
    send(ndjson(event(1)))
    assert reading.read_waiting(seconds=-1)
    assert not UsageEvent.objects.exists()


def test_later_usage_in_a_file_is_read_and_pointed_out(send):
    ahead = (timezone.now() + timedelta(days=2)).isoformat()
    source = send(ndjson(event(1), event(2, started_at=ahead)))
    read_all()
    source.refresh_from_db()
    assert (source.recorded, source.rejected) == (2, 0)
    assert source.options["warnings"] == {"in_future": 1}
    assert source.options["warned_lines"] == {"in_future": [["", 2]]}


def test_of_many_lines_with_one_doubt_the_first_are_named(send, monkeypatch):
    monkeypatch.setattr("ingest.services.outcomes.DOUBTS_LISTED", 2)
    monkeypatch.setattr("ingest.services.booking.DOUBTS_LISTED", 2)
    ahead = (timezone.now() + timedelta(days=2)).isoformat()
    source = send(ndjson(*(event(number, started_at=ahead) for number in range(4))))
    read_all()
    source.refresh_from_db()
    assert source.options["warnings"] == {"in_future": 4}
    assert source.options["warned_lines"] == {"in_future": [["", 1], ["", 2]]}


def test_rejections_beyond_the_limit_are_counted_but_not_listed(send, monkeypatch):
    monkeypatch.setattr("ingest.services.booking.REJECTIONS_LISTED", 3)
    source = send(ndjson(event(1), *["bad"] * 10))
    read_all()
    source.refresh_from_db()
    assert (source.rejected, source.rejections.count()) == (10, 3)


@pytest.mark.django_db(transaction=True)
def test_an_upload_whose_sender_died_is_given_up(books):
    long_ago = timezone.now() - timedelta(hours=1)
    sender = Sender(organization_id=books.pk, name="a.jsonl")
    source = receive._begun(sender, "upload")
    Import.objects.update(received_at=long_ago)
    with Elsewhere(Lease.IMPORT, source.pk):
        assert sweeping.give_up_broken() == 0
    assert sweeping.give_up_broken() == 1
    source.refresh_from_db()
    assert (source.state, source.error_code) == ("failed", "interrupted")


def test_a_young_upload_is_left_alone(books):
    receive._begun(Sender(organization_id=books.pk, name="a.jsonl"), "upload")
    assert sweeping.give_up_broken() == 0


def test_posting_and_the_mark_of_progress_are_one(send, monkeypatch):
    source = send(ndjson(event(1)))
    monkeypatch.setattr(chunks, "finish", break_down)
    reading.read_waiting(seconds=30)
    assert states(source) == ["ready"]
    assert not UsageEvent.objects.exists()
    source.refresh_from_db()
    assert source.lines == 0


def break_down(*_):
    raise RuntimeError("secret prompt")


class Elsewhere:
    """A lease that another session holds."""

    def __init__(self, kind, row_id):
        self.key = (kind << 32) | row_id
        self.connection = connections["default"].copy()

    def __enter__(self):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(%s)", [self.key])

    def __exit__(self, *_):
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [self.key])
        self.connection.close()
