"""What waits for the disk: what was promised, and what ends an import. What would be done again does not."""

from io import BytesIO

import pytest
from django.db import connection

from accounting.models import Import
from ingest.formats import cutting
from ingest.services import paths, points, reading, receive
from ingest.services.looking import AnyFormat
from ingest.services.receive import Sender
from tests.ingest.conftest import event, ndjson

# What is set for a transaction ends with it, so that these need transactions of their own.
pytestmark = pytest.mark.django_db(transaction=True)


def setting():
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        return cursor.fetchone()[0]


@pytest.fixture(autouse=True)
def server(request, db):
    """A server that is set to wait, or to what a test asks for; the tests' own waits for nothing."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET synchronous_commit = {getattr(request, 'param', 'on')}")
        yield
        cursor.execute("RESET synchronous_commit")


@pytest.fixture
def waits(monkeypatch):
    """For what each commit waits that passes a point: point -> settings, in order."""
    seen = {}

    def look(point):
        seen.setdefault(point, []).append(setting())

    monkeypatch.setattr(points, "watcher", look)
    return seen


@pytest.fixture
def small_cuts(monkeypatch):
    def cut(stream, layout):
        return cutting.cut(stream, layout, 500)

    monkeypatch.setattr(receive, "cut", cut)
    monkeypatch.setattr(paths, "cut", cut)


def test_only_the_last_part_of_an_upload_waits_until_it_is_on_the_disk(
    books, waits, small_cuts, tmp_path
):
    log = tmp_path / "a.jsonl"
    log.write_bytes(ndjson(*(event(n) for n in range(20))))
    with log.open("rb") as stream:
        sender = Sender(organization_id=books.pk, name=log.name)
        receipt = receive.receive_upload(sender=sender, stream=stream, limit=10**9, expected=None)

    source = reading.read_import(receipt.import_id, seconds=60)

    assert source.state == "done"
    *earlier, last = waits["read.committing"]
    assert (set(earlier), last) == ({"off"}, "on")


@pytest.mark.parametrize("server", ["off"], indirect=True)
def test_the_end_of_an_upload_waits_whatever_the_server_is_set_to(books, waits, server):
    body = ndjson(event(1))
    sender = Sender(organization_id=books.pk, name="a.jsonl")
    receive.receive_upload(sender=sender, stream=BytesIO(body), limit=10**9, expected=len(body))

    assert waits["receive.kept"] == ["on"]


@pytest.mark.parametrize("server", ["on", "off"], indirect=True)
def test_a_promise_waits_whatever_the_server_is_set_to(books, waits, server):
    sender, body = Sender(organization_id=books.pk), ndjson(event(1))
    receive.receive_push(
        sender=sender,
        look=AnyFormat(sender),
        stream=BytesIO(body),
        encoding="",
        limit=10**6,
        expected=len(body),
    )

    assert waits["receive.kept"] == ["on"]


def test_a_log_that_is_read_by_its_path_is_closed_by_a_commit_that_waits(
    books, small_cuts, tmp_path, monkeypatch
):
    monkeypatch.setattr(paths, "is_enough", lambda *_: True)
    told = []
    book, close = paths.book, paths._PathReading._close

    def booked(**all_of_it):
        told.append(setting())
        return book(**all_of_it)

    def closed(self, size):
        told.append(setting())
        close(self, size)

    monkeypatch.setattr(paths, "book", booked)
    monkeypatch.setattr(paths._PathReading, "_close", closed)
    log = tmp_path / "a.jsonl"
    log.write_bytes(ndjson(*(event(n) for n in range(20))))

    paths.read_path(str(log), sender=Sender(organization_id=books.pk, name=log.name))

    assert Import.objects.get().state == "done"
    *parts, end = told
    assert (len(parts) > 3, set(parts), end) == (True, {"off"}, "on")
