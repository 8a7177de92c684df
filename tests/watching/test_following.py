"""Files of a watched folder that grow, wait, move and are replaced: each record counts once."""

import gzip
import os
from pathlib import Path

import pytest

from accounting.models import Import, UsageEvent
from ingest.models import WatchedFile
from ingest.services import watching_files, watching_reading, watching_tails
from tests.ingest.conftest import counted, event, is_conserved, ndjson
from tests.watching.conftest import append, looked, read, rested
from tests.watching.csv_log import columns, rows

pytestmark = pytest.mark.usefixtures("watched")


def test_what_lies_there_is_read_once_and_then_only_what_is_new(folder):
    path = append(folder / "a.jsonl", ndjson(event(1), event(2)))
    first = looked()
    assert (first["files"], first["recorded"], first["bytes"]) == (
        1,
        2,
        len(ndjson(*[event(1)] * 2)),
    )
    assert looked() == {}
    tail = ndjson(event(3))
    append(path, tail)
    again = looked()
    assert (again["lines"], again["recorded"], again["bytes"]) == (1, 1, len(tail))
    assert counted() == (3, 300)


def test_events_of_a_tail_name_their_line_and_place_in_the_whole_file(folder):
    path = append(folder / "a.jsonl", ndjson(event(1), event(2)))
    looked()
    begins = path.stat().st_size
    append(path, ndjson("", event(3)))
    looked()
    third = UsageEvent.objects.order_by("line").last()
    assert (third.path, third.line, third.byte_offset) == ("a.jsonl", 4, begins + 1)


def test_half_a_last_line_waits_for_its_end(folder):
    line = ndjson(event(2))
    path = append(folder / "a.jsonl", ndjson(event(1)) + line[:30])
    assert looked()["recorded"] == 1
    assert WatchedFile.objects.get().waiting == 30
    append(path, line[30:50])
    assert looked()["lines"] == 0
    append(path, line[50:])
    assert looked()["recorded"] == 1
    assert (counted(), Import.objects.get().rejected) == ((2, 200), 0)


def test_a_last_line_that_is_whole_needs_no_line_end(folder):
    path = append(folder / "a.jsonl", ndjson(event(1), event(2)).rstrip())
    assert looked()["recorded"] == 2
    append(path, b"\n" + ndjson(event(3)))
    assert (looked()["recorded"], read("a.jsonl")[1]) == (1, 4)


def test_a_first_line_that_is_still_being_written_is_not_judged(folder):
    line = ndjson(event(1))
    path = append(folder / "a.jsonl", line[:9])
    assert looked() == {"early": 1}
    append(path, line[9:])
    assert looked()["recorded"] == 1
    assert Import.objects.get().rejections.count() == 0


def test_rows_of_a_csv_are_followed_under_its_header(folder, books, ingest, tmp_path):
    path = append(folder / "a.csv", columns() + rows(1, 2))
    assert looked()["recorded"] == 2
    append(path, rows(3)[:-6])
    assert looked()["lines"] == 0
    append(path, rows(3)[-6:])
    assert (looked()["recorded"], read("a.csv")[1]) == (1, 5)
    (told, _), _ = ingest(path)
    assert (told["duplicates"], told["recorded"]) == (3, 0)


def test_half_a_row_counts_once_its_file_has_rested_for_a_minute(folder):
    path = append(folder / "a.csv", columns() + rows(1, 2).rstrip())
    rested(path, 50)
    assert looked()["recorded"] == 1
    rested(path, 70)
    assert looked()["recorded"] == 1


def test_a_row_whose_quote_is_open_waits_for_the_lines_that_close_it():
    body = b'a,1\nb,"two\nlines'
    assert watching_tails._end_of_records(body, "csv") == 4
    assert watching_tails._end_of_records(body + b'"\n', "csv") == len(body) + 2


def test_a_file_that_was_emptied_and_filled_is_read_anew(folder):
    path = append(folder / "a.jsonl", ndjson(event(1), event(2)))
    looked()
    path.write_bytes(ndjson(event(3)))
    assert looked()["recorded"] == 1
    assert read("a.jsonl")[1] == 2


def test_a_file_that_was_emptied_and_has_grown_beyond_its_size_is_read_anew(folder):
    path = append(folder / "a.jsonl", ndjson(event(1)))
    looked()
    path.write_bytes(ndjson(event(7), event(8), event(9)))
    assert (looked()["recorded"], counted()) == (3, (4, 400))


def test_another_file_in_the_place_of_one_is_read_anew_and_known_records_count_once(folder):
    path = append(folder / "a.jsonl", ndjson(event(1), event(2)))
    looked()
    (folder / "new").write_bytes(ndjson(event(2), event(5)))
    (folder / "new").rename(path)
    told = looked()
    assert (told["recorded"], told["duplicates"], counted()) == (1, 1, (3, 300))


def test_logs_that_are_rotated_are_followed_under_their_new_names(folder):
    path = append(folder / "app.log", ndjson(event(1), event(2)))
    append(folder / "app.log.1", ndjson(event(0)))
    looked()
    append(path, ndjson(event(3)))  # the last line before the turn, not looked at yet
    (folder / "app.log.1").rename(folder / "app.log.2")
    path.rename(folder / "app.log.1")
    append(path, ndjson(event(4)))
    told = looked()
    assert (told["recorded"], told["duplicates"]) == (2, 0)
    assert (counted(), WatchedFile.objects.count()) == ((5, 500), 3)


def test_a_packed_copy_of_a_rotated_log_counts_nothing_twice(folder):
    path = append(folder / "app.log.1", ndjson(event(1), event(2)))
    looked()
    packed = folder / "app.log.1.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert looked() == {"early": 1}
    rested(packed)
    told = looked()
    assert (told["duplicates"], told["recorded"], counted()) == (2, 0, (2, 200))
    packed.rename(folder / "app.log.2.gz")
    assert looked() == {}


def test_a_torn_packed_file_counts_nothing_until_it_is_whole(folder):
    whole = gzip.compress(ndjson(event(1), event(2)))
    path = folder / "a.jsonl.gz"
    path.write_bytes(whole[:-9])
    rested(path)
    looked()
    assert WatchedFile.objects.get().error_code == "truncated_gzip"
    path.write_bytes(whole)
    rested(path, 6)
    assert looked()["recorded"] == 2
    assert WatchedFile.objects.get().error_code == ""


def test_a_document_is_read_when_it_has_settled_and_again_when_it_has_changed(folder):
    body = ndjson(event(1), event(2)).decode().splitlines()
    path = folder / "a.json"
    path.write_text(f"[{body[0]}]")
    assert looked() == {"early": 1}
    rested(path)
    assert looked()["recorded"] == 1
    path.write_text(f"[{body[0]},{body[1]}]")
    rested(path, 4)
    told = looked()
    assert (told["recorded"], told["duplicates"]) == (1, 1)


def test_a_very_long_line_is_rejected_and_those_after_it_are_read(folder):
    long = b'{"id": "' + b"x" * (5 * 1024 * 1024) + b'"}\n'
    append(folder / "a.jsonl", ndjson(event(1)) + long + ndjson(event(2)))
    told = looked()
    assert (told["recorded"], told["rejected"]) == (2, 1)
    source = Import.objects.get()
    assert [(one.line, one.code) for one in source.rejections.all()] == [(2, "line_too_long")]
    assert UsageEvent.objects.order_by("line").last().line == 3
    assert is_conserved(source)


def test_cuts_in_the_middle_change_nothing(folder, monkeypatch):
    monkeypatch.setattr(watching_tails, "PIECE_BYTES", 1_000)
    append(folder / "a.jsonl", b"\xef\xbb\xbf" + ndjson(*(event(n) for n in range(50)), "bad"))
    told = looked()
    assert (told["recorded"], told["rejected"], read("a.jsonl")[1]) == (50, 1, 52)
    append(folder / "a.jsonl", ndjson(event(50)))
    assert (looked()["lines"], counted()) == (1, (51, 5100))


def test_many_short_records_are_read_in_smaller_pieces(folder, monkeypatch):
    monkeypatch.setattr(watching_tails, "CUT_RECORDS", 10)
    monkeypatch.setattr(watching_tails, "LINE_LIMIT", 1_000)
    sizes = []

    def seen(*args, **options):
        for piece in watching_tails.pieces_of(*args, **options):
            sizes.append(len(piece.cut.body))
            yield piece

    monkeypatch.setattr(watching_reading, "pieces_of", seen)
    append(folder / "a.jsonl", ndjson(*(event(n) for n in range(50)), "bad"))

    told = looked()

    assert (told["recorded"], told["rejected"], read("a.jsonl")[1]) == (50, 1, 52)
    assert len(sizes) > 5
    assert max(sizes[:-2]) <= 1_001


def test_unchanged_files_cost_one_stat_each_and_no_opening(folder, monkeypatch):
    for number in range(20):
        append(folder / f"{number}.jsonl", ndjson(event(number)))
    looked()
    opened = []
    monkeypatch.setattr(watching_files.os, "open", lambda *where: opened.append(where))
    assert (looked(), opened) == ({}, [])


def test_a_look_that_finds_nothing_new_asks_a_fixed_number_of_questions(
    folder, django_assert_max_num_queries
):
    for number in range(30):
        append(folder / f"{number}.jsonl", ndjson(event(number)))
    looked()
    with django_assert_max_num_queries(8):
        looked()


def test_links_are_not_followed_so_that_loops_end(folder, tmp_path):
    append(tmp_path / "outside.jsonl", ndjson(event(1)))
    (folder / "link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.jsonl")
    append(folder / "a.jsonl", ndjson(event(2)))
    assert (looked()["files"], counted()) == (1, (1, 100))


def test_a_file_that_vanishes_while_it_is_looked_at_blocks_nobody(folder, monkeypatch):
    append(folder / "a.jsonl", ndjson(event(1)))
    append(folder / "b.jsonl", ndjson(event(2)))
    real = os.open

    def opened(path, *more, **named):
        if str(path).endswith("a.jsonl"):
            Path(path).unlink()
        return real(path, *more, **named)

    monkeypatch.setattr(watching_files.os, "open", opened)
    assert looked()["recorded"] == 1
    monkeypatch.undo()
    looked()
    assert WatchedFile.objects.get(inside="a.jsonl").vanished_at is not None


def test_a_file_of_records_that_are_told_apart_by_their_order_goes_on_counting(folder):
    """Equal timings without an id each count, also where a look came between them."""
    line = '{"ttft_ms": 100, "tpot_ms": 20, "tokens": 10, "total_ms": 400}'
    path = append(folder / "token_timing.jsonl", ndjson(line, line))
    looked()
    append(path, ndjson(line))
    assert looked()["recorded"] == 1
    assert UsageEvent.objects.count() == 3


def written_over(path, body):
    path.write_bytes(body)


def moved_there(path, body):
    path.with_name("new").write_bytes(body)
    path.with_name("new").rename(path)


@pytest.mark.parametrize("in_its_place", [written_over, moved_there])
def test_where_files_are_read_as_one_a_replaced_one_begins_all_anew(folder, watched, in_its_place):
    watched.options = {"run": "night"}
    watched.save()
    line = '{"ttft_ms": 100, "tpot_ms": 20, "tokens": 10, "total_ms": 400}'
    path = append(folder / "a.jsonl", ndjson(line, line))
    append(folder / "b.jsonl", ndjson(line))
    looked()
    in_its_place(path, ndjson(line))
    assert looked() == {}
    told = looked()
    assert (told["duplicates"], told["recorded"]) == (2, 0)
    assert UsageEvent.objects.count() == 3
