"""What could not be read is set aside with its bytes, listed, read again or dropped; and the circuit."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Import
from ingest.models import Circuit, InboxChunk
from ingest.services import circuit, quarantine, reading
from tests.ingest.conftest import counted, event, is_conserved, ndjson, read_all, timings
from tests.ingest.poison import mend, poison


@pytest.fixture
def inbox(books):
    """Run the command with --json; its objects and its exit code."""

    def ran(*arguments):
        out, code = StringIO(), 0
        try:
            call_command("inbox", *map(str, arguments), "--json", stdout=out, stderr=StringIO())
        except CommandError as error:
            code = error.returncode
        return [json.loads(line) for line in out.getvalue().splitlines()], code

    return ran


def exhaust():
    """Read until nothing is ready any more."""
    for _ in range(quarantine.ATTEMPTS):
        reading.read_waiting(seconds=60)


@pytest.fixture
def set_aside(push, monkeypatch):
    """A push that could not be read; its chunk."""
    poison(monkeypatch)
    push(ndjson(event("poison"), event(2)))
    exhaust()
    mend(monkeypatch)
    return InboxChunk.objects.get()


def test_what_was_set_aside_is_listed_with_its_reason_and_no_text(inbox, set_aside):
    (listed, state), code = inbox("list")
    assert (listed["chunk_id"], listed["import_id"]) == (set_aside.pk, set_aside.source_import_id)
    assert (listed["number"], listed["first_line"], listed["attempts"]) == (1, 1, 5)
    assert "RuntimeError in poison.py, line" in listed["reason"]
    assert "secret" not in json.dumps(listed)
    assert (state["waiting"], state["set_aside"], code) == (0, 1, 0)
    assert state["stopped_at"] is None


def test_people_read_it_as_lines(inbox, set_aside):
    out = StringIO()
    call_command("inbox", "list", stdout=out)
    first, second = out.getvalue().splitlines()
    assert first.startswith(f"chunk {set_aside.pk}: import {set_aside.source_import_id}")
    assert second == "0 chunks wait (0 bytes), 1 were set aside"


def test_a_mended_reader_reads_it_again(inbox, set_aside):
    [state], code = inbox("retry", set_aside.pk)
    assert (state["waiting"], state["set_aside"], code) == (1, 0, 0)
    assert Import.objects.get().state == "reading"
    read_all()
    source = Import.objects.get()
    assert (source.state, source.error_code, source.recorded) == ("done", "", 2)
    assert counted() == (2, 200)


def test_all_are_read_again_at_once(inbox, push, monkeypatch):
    poison(monkeypatch)
    for number in range(3):
        push(ndjson(event(f"poison-{number}")))
    exhaust()
    mend(monkeypatch)
    inbox("retry", "--all")
    read_all()
    assert counted() == (3, 300)


def test_what_is_discarded_leaves_its_trace_and_no_bytes(inbox, set_aside):
    [state], code = inbox("discard", set_aside.pk)
    assert (state["set_aside"], code) == (0, 0)
    set_aside.refresh_from_db()
    assert (set_aside.state, bytes(set_aside.body)) == ("discarded", b"")
    source = Import.objects.get()
    assert (source.state, source.error_code, source.lines) == ("done", "discarded", 0)
    rejection = source.rejections.get()
    assert (rejection.line, rejection.code) == (None, "discarded")
    assert rejection.reason.startswith("part 1, from line 1, ")
    assert is_conserved(source)


@pytest.mark.parametrize("action", ["retry", "discard"])
def test_only_what_was_set_aside_can_be_named(inbox, push, action):
    push(ndjson(event(1)))
    assert inbox(action, InboxChunk.objects.get().pk) == ([], 1)
    assert inbox(action, 999_999) == ([], 1)
    assert inbox(action) == ([], 2)
    assert inbox(action, 1, "--all") == ([], 2)
    assert InboxChunk.objects.get().state == "ready"


def test_another_organization_s_chunks_are_not_meant(inbox, set_aside):
    from tests.factories import OrganizationFactory

    other = OrganizationFactory()
    assert inbox("discard", "--all", "--organization", other.slug)[1] == 0
    assert inbox("discard", set_aside.pk, "--organization", other.slug) == ([], 1)
    assert inbox("list", "--organization", "nowhere") == ([], 2)
    set_aside.refresh_from_db()
    assert set_aside.state == "quarantined"


def test_with_a_part_of_a_format_in_order_go_those_after_it(inbox, books, monkeypatch):
    from ingest.formats import cutting
    from ingest.services import chunks, receive
    from ingest.services.receive import Sender
    from tests.ingest.test_reading import Bytes

    monkeypatch.setattr(receive, "cut", lambda *where: cutting.cut(*where, 500))
    sender = Sender(organization_id=books.pk, name="a.jsonl")
    body = timings(30)
    receive.receive_upload(sender=sender, stream=Bytes(body), limit=10**9, expected=len(body))
    plain, broken = chunks.read, []

    def read(chunk):
        if chunk.number == 2 and not broken:
            raise RuntimeError("not yet mended")
        return plain(chunk)

    monkeypatch.setattr(chunks, "read", read)
    monkeypatch.setattr(reading, "read", read)
    exhaust()
    aside = InboxChunk.objects.filter(state="quarantined").order_by("number")
    assert aside.first().number == 2
    assert aside.count() == InboxChunk.objects.count() - 1
    assert Circuit.objects.get().set_aside_in_a_row == 1
    broken.append(True)
    inbox("retry", aside.first().pk)
    read_all()
    source = Import.objects.get()
    assert (source.state, source.recorded) == ("done", 30)


def test_after_twenty_failures_in_a_row_reading_stops_and_the_bytes_stay(
    inbox, push, monkeypatch, caplog
):
    poison(monkeypatch, at=b"input_tokens")  # a reader that a new version broke
    for number in range(25):
        push(ndjson(event(number)))
    exhaust()
    assert InboxChunk.objects.filter(state="quarantined").count() == 20
    assert InboxChunk.objects.filter(state="ready").count() == 5
    assert circuit.is_open()
    assert "reading has stopped" in caplog.text
    assert push(ndjson(event(99))).status_code == 202
    mend(monkeypatch)
    assert not reading.read_waiting(seconds=60)
    assert InboxChunk.objects.filter(state="ready").count() == 6
    *_, state = inbox("list")[0]
    assert (state["set_aside"], state["set_aside_in_a_row"]) == (20, 20)
    assert state["stopped_at"]

    [state], _ = inbox("resume")
    assert (state["stopped_at"], state["set_aside_in_a_row"]) == (None, 0)
    read_all()
    inbox("retry", "--all")
    read_all()
    assert counted() == (26, 2_600)
    assert set(Import.objects.values_list("state", flat=True)) == {"done"}


def test_a_push_that_waits_is_told_at_once_that_reading_has_stopped(push):
    Circuit.objects.create(id=1, set_aside_in_a_row=20, opened_at="2026-11-30T00:00Z")
    answer = push(ndjson(event(1)), "?wait=true")
    assert (answer.status_code, answer.json()["state"]) == (202, "ready")


def test_one_that_is_read_between_them_lets_the_count_begin_anew(push, monkeypatch):
    poison(monkeypatch)
    monkeypatch.setattr(quarantine, "ATTEMPTS", 1)
    for number in range(40):
        push(ndjson(event("poison") if number % 2 else event(number)))
        reading.read_waiting(seconds=60)
    assert InboxChunk.objects.filter(state="quarantined").count() == 20
    assert not circuit.is_open()
