"""What cannot be read, breaks down, is undone or runs twice: it says why and holds nobody up."""

import logging
import os
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounting.models import Import
from ingest.formats import native
from ingest.models import WatchedFile, WatchedFolder
from ingest.services import booking, watching, watching_books, watching_reading
from ingest.services.leases import Lease
from ingest.services.receive import Sender
from ingest.services.rereading import NotKeptError, begin_again
from ingest.services.undoing import undo_imports
from ingest.services.watching import look, look_where_nobody_does
from ingest.services.watching_folders import add_folder, read_again, watched_folders
from tests.ingest.conftest import counted, event, ndjson
from tests.watching.conftest import append, looked, rested

pytestmark = pytest.mark.usefixtures("watched")


@contextmanager
def as_nobody():
    """Root may open everything, so it steps back; anybody else stays who they are."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def reachable(watched):
    """The watched folder, on a way that is open to others: pytest closes that to its own folders."""
    with tempfile.TemporaryDirectory(prefix="tallybook-test-", dir="/tmp") as place:
        Path(place).chmod(0o755)
        watched.path = place
        watched.save()
        yield Path(place)


def unread():
    return [(one.inside, one.code) for [found] in [watched_folders()] for one in found.unread]


def test_a_file_that_cannot_be_read_says_why_once_and_the_others_are_read(folder, books):
    rested(append(folder / "a.txt", b"nothing to see\n"))
    append(folder / "b.jsonl", ndjson(event(1)))
    append(folder / "c.jsonl", b"")
    assert looked()["recorded"] == 1
    assert unread() == [("a.txt", "unknown_format")]
    rested(append(folder / "a.txt", b"and nothing again\n"), 4)
    looked()
    [rejection] = Import.objects.get().rejections.all()
    assert (rejection.path, rejection.line, rejection.code) == ("a.txt", None, "unknown_format")
    rested(append(folder / "a.txt", b""), 30)
    (folder / "a.txt").write_bytes(ndjson(event(2)))
    assert (looked()["recorded"], unread()) == (1, [])


def test_a_file_that_may_not_be_opened_is_read_as_soon_as_it_may(reachable):
    append(reachable / "a.jsonl", ndjson(event(1))).chmod(0)
    append(reachable / "b.jsonl", ndjson(event(2)))
    with as_nobody():
        assert looked()["recorded"] == 1
        assert unread() == [("a.jsonl", "not_readable")]
        looked()
    assert Import.objects.get().rejections.count() == 1
    (reachable / "a.jsonl").chmod(0o644)  # which changes neither its size nor its time
    with as_nobody():
        assert (looked()["recorded"], unread()) == (1, [])


def test_a_folder_inside_that_is_closed_is_named_and_the_rest_is_read(reachable):
    (reachable / "closed").mkdir(mode=0)
    append(reachable / "a.jsonl", ndjson(event(1)))
    with as_nobody():
        [one] = look(seconds=60)
    assert (one.code, one.reason) == ("not_readable", "not looked at: closed: Permission denied")
    assert one.counts["recorded"] == 1


def test_a_name_that_is_no_text_is_named_and_the_rest_is_read(folder):
    (folder / os.fsdecode(b"b\xff.jsonl")).write_bytes(ndjson(event(1)))
    append(folder / "c.jsonl", ndjson(event(2)))
    [one] = look(seconds=60)
    assert (one.counts["recorded"], one.reason) == (
        1,
        r"not looked at: b\udcff.jsonl: its name is not UTF-8",
    )


def test_a_folder_that_has_gone_says_so_after_a_minute_and_is_read_when_it_is_back(folder):
    append(folder / "a.jsonl", ndjson(event(1)))
    looked()
    folder.rename(folder.with_name("away"))
    [one] = look(seconds=60)
    assert (one.code, watched_folders()[0].code) == ("not_found", "")
    WatchedFolder.objects.update(looked_at=timezone.now() - timedelta(minutes=2))
    look(seconds=60)
    assert watched_folders()[0].code == "not_found"
    folder.with_name("away").rename(folder)
    append(folder / "a.jsonl", ndjson(event(2)))
    assert (looked()["lines"], watched_folders()[0].code) == (1, "")


def test_a_file_that_breaks_its_reader_is_set_aside_and_its_neighbours_are_read(
    folder, monkeypatch, caplog
):
    for name in ("a", "b", "c"):
        append(folder / f"{name}.jsonl", ndjson(event(name, model=f"m-{name}")))
    break_at(monkeypatch, "m-b")
    with caplog.at_level(logging.CRITICAL):
        assert looked()["recorded"] == 2
    assert unread() == [("b.jsonl", "reading_failed")]
    assert looked() == {}


def test_a_file_that_broke_its_reader_five_times_is_left_alone_until_it_is_asked_for(
    folder, monkeypatch, books, caplog
):
    path = append(folder / "a.jsonl", ndjson(event(0, model="m-b")))
    break_at(monkeypatch, "m-b")
    with caplog.at_level(logging.CRITICAL):
        for number in range(1, 8):
            looked()
            append(path, ndjson(event(number)))
    assert WatchedFile.objects.get().attempts == 5
    monkeypatch.undo()
    assert looked() == {}
    read_again(str(folder), organization_id=books.pk)
    assert (looked()["recorded"], unread()) == (8, [])


def test_another_file_in_the_place_of_one_that_was_left_alone_is_read(folder):
    path = append(folder / "a.jsonl", ndjson(event(1)))
    left_alone(path)
    (folder / "new").write_bytes(ndjson(event(2)))
    (folder / "new").rename(path)
    assert (looked()["recorded"], unread()) == (1, [])


def test_a_file_with_the_inode_of_one_that_was_left_alone_and_has_gone_is_read(folder):
    path = append(folder / "a.jsonl", ndjson(event(1)))
    left_alone(path)
    away = path.rename(folder.with_name("away"))
    looked()
    away.write_bytes(ndjson(event(2)))
    away.rename(folder / "b.jsonl")
    assert (looked()["recorded"], unread()) == (1, [])


def test_a_file_that_was_left_alone_stays_so_under_another_name(folder):
    path = append(folder / "a.jsonl", ndjson(event(1)))
    left_alone(path)
    path.rename(folder / "b.jsonl")
    assert (looked(), unread()) == ({}, [("b.jsonl", "reading_failed")])


def test_a_booking_that_breaks_down_costs_its_own_file_only(
    folder, books, tmp_path, monkeypatch, caplog
):
    """The last booking of a look is for several files, and other folders come after it."""
    for name in ("a", "b", "c"):
        append(folder / f"{name}.jsonl", ndjson(event(name, model=f"m-{name}")))
    (tmp_path / "other").mkdir()
    append(tmp_path / "other" / "d.jsonl", ndjson(event("d")))
    add_folder(str(tmp_path / "other"), sender=Sender(organization_id=books.pk))
    real = watching_books.book

    def breaks(*, outcomes, **more):
        if any(one.records[0].use.request_model == "m-b" for one in outcomes.tellings):
            raise ZeroDivisionError
        return real(outcomes=outcomes, **more)

    monkeypatch.setattr(watching_books, "book", breaks)
    with caplog.at_level(logging.CRITICAL):
        looks = look(seconds=60)
    assert [one.counts["recorded"] for one in looks] == [2, 1]
    [found, _] = sorted(watched_folders(), key=lambda one: one.folder_id)
    assert [(one.inside, one.code) for one in found.unread] == [("b.jsonl", "reading_failed")]


def test_a_worker_that_ends_while_it_reads_is_found_out_by_the_file_that_ends_it(
    folder, monkeypatch
):
    """Ends like those of a killed process: nothing after them is done."""
    for name in ("a", "b"):
        append(folder / f"{name}.jsonl", ndjson(event(name, model=f"m-{name}")))
    real = watching_reading.FolderReading._read_piece

    def ends(self, found, row, piece):
        if found.inside == "b.jsonl":
            raise SystemExit
        real(self, found, row, piece)

    monkeypatch.setattr(watching_reading.FolderReading, "_read_piece", ends)
    for _ in range(8):
        with pytest.raises(SystemExit):
            looked()
    assert counted() == (1, 100)
    assert WatchedFile.objects.get(inside="b.jsonl").attempts == 5
    assert (looked(), unread()) == ({}, [("b.jsonl", "reading_failed")])


def test_what_was_undone_comes_back_only_when_it_is_asked_for(folder, books):
    path = append(folder / "a.jsonl", ndjson(event(1), event(2)))
    looked()
    undo_imports(organization_id=books.pk, import_ids=[Import.objects.get().pk])
    assert (counted(), looked()) == ((0, 0), {})
    append(path, ndjson(event(3)))
    looked()
    assert counted() == (1, 100)
    assert list(Import.objects.order_by("pk").values_list("state", flat=True)) == ["undone", "done"]
    assert read_again(str(folder), organization_id=books.pk) == 1
    looked()
    assert counted() == (3, 300)


def test_an_import_that_is_undone_while_a_tail_is_booked_gets_nothing(folder, books, monkeypatch):
    path = append(folder / "a.jsonl", ndjson(event(1)))
    looked()
    append(path, ndjson(event(2)))
    real = watching_books.ensure_months

    def undone_before(moments):
        monkeypatch.setattr(watching_books, "ensure_months", real)
        undo_imports(organization_id=books.pk, import_ids=[Import.objects.get().pk])
        real(moments)

    monkeypatch.setattr(watching_books, "ensure_months", undone_before)
    [one] = look(seconds=60)
    assert (one.is_through, counted()) == (False, (0, 0))
    assert looked()["recorded"] == 1
    assert Import.objects.get(state="done").recorded == 1


def test_a_day_is_one_import_and_the_next_day_another(folder):
    path = append(folder / "a.jsonl", ndjson(event(1)))
    looked()
    append(path, ndjson(event(2)))
    looked()
    source = Import.objects.get()
    assert (source.lines, source.format, source.door) == (2, "native", "watch")
    assert (source.name, source.size) == (str(folder), path.stat().st_size)
    Import.objects.update(received_at=timezone.now() - timedelta(days=1))
    append(path, ndjson(event(3)))
    looked()
    assert list(Import.objects.order_by("pk").values_list("lines", flat=True)) == [2, 1]


def test_the_clock_looks_where_no_worker_has_looked_for_a_minute(folder):
    append(folder / "a.jsonl", ndjson(event(1)))
    assert look_where_nobody_does(seconds=60) == []
    WatchedFolder.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    assert len(look_where_nobody_does(seconds=60)) == 1
    append(folder / "a.jsonl", ndjson(event(2)))
    assert look_where_nobody_does(seconds=60) == []
    assert counted() == (1, 100)


def test_the_clock_looks_at_no_other_folder_because_of_one_that_has_gone(folder, books, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    add_folder(str(gone), sender=Sender(organization_id=books.pk))
    gone.rmdir()
    append(folder / "a.jsonl", ndjson(event(1)))
    WatchedFolder.objects.update(created_at=timezone.now() - timedelta(minutes=2))
    look(seconds=60)
    append(folder / "a.jsonl", ndjson(event(2)))
    assert [one.path for one in look_where_nobody_does(seconds=60)] == [str(gone)]
    assert counted() == (1, 100)


def test_an_import_of_a_folder_says_how_it_is_read_again(folder):
    append(folder / "a.jsonl", ndjson(event(1)))
    looked()
    with pytest.raises(NotKeptError, match="watch again"):
        begin_again(Import.objects.get().pk)


def test_a_folder_at_which_another_worker_looks_is_left_to_it(folder, monkeypatch):
    append(folder / "a.jsonl", ndjson(event(1)))

    @contextmanager
    def taken(kind, row_id):
        assert kind is Lease.FOLDER
        yield False

    monkeypatch.setattr(watching, "lease", taken)
    assert look(seconds=60) == []


def test_a_long_file_is_read_in_steps_and_goes_on_where_the_time_was_up(folder, monkeypatch):
    monkeypatch.setattr(booking, "BOOK_BYTES", 1_000)
    monkeypatch.setattr("ingest.services.watching_tails.PIECE_BYTES", 1_000)
    append(folder / "a.jsonl", ndjson(*(event(n) for n in range(40))))
    steps = 0
    while not look(seconds=0)[0].is_through and steps < 50:
        steps += 1
    assert 2 < steps < 50
    assert (counted(), Import.objects.get().duplicates) == ((40, 4000), 0)


def left_alone(path):
    """As after five ends of a worker that read it."""
    reason = "the worker ended 5 times while reading it"
    looked_up = WatchedFile.objects.filter(inside=path.name)
    looked()
    looked_up.update(attempts=5, stamp="", error_code="reading_failed", reason=reason)
    assert (looked(), unread()) == ({}, [(path.name, "reading_failed")])


def break_at(monkeypatch, model):
    """Have the native reader break down on a model, as an error of ours would."""

    def read(items, options, state):
        for outcome in native.FORMAT.read(items, options, state):
            if outcome.records[0].use.request_model == model:
                raise ZeroDivisionError
            yield outcome

    broken = replace(native.FORMAT, read=read)
    monkeypatch.setattr(watching_reading, "by_name", lambda _name: broken)
