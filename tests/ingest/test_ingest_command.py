"""manage.py ingest and sniff: what they print, and that reading again counts nothing twice."""

import gzip
import json
import os
from io import StringIO

import pytest
from django.core.management import call_command

from accounting.models import Import, Project, Rejection, Run, UsageEvent, UsageHour
from ingest.services import paths
from tests.ingest.conftest import counted, event, is_conserved, ndjson, new_key, timings

FIELDS = [
    "path",
    "format",
    "state",
    "lines",
    "recorded",
    "updated",
    "duplicates",
    "conflicts",
    "skipped",
    "rejected",
    "requests",
    "errors",
    "input_tokens",
    "cache_read_input_tokens",
    "cache_write_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "cost",
    "reported_cost",
    "unpriced_requests",
    "rejections",
]


def answer(message, output, *, at="2026-03-02T10:00:00.000Z", kind="assistant", **more):
    """One line of a transcript; kind: its type. Input 40, of which 30 from the cache."""
    usage = {
        "input_tokens": 8,
        "cache_read_input_tokens": 30,
        "cache_creation_input_tokens": 2,
        "output_tokens": output,
    }
    told = {"id": message, "model": "claude-sonnet-4-5", "role": "assistant", "usage": usage}
    return {"type": kind, "sessionId": "s-1", "timestamp": at, "message": {**told, **more}}


def test_an_input_and_the_total_have_the_fields_of_the_contract(ingest, log):
    path = log("a.jsonl", ndjson(event(1), event(2, status="error"), "bad"))
    (told, total), code = ingest(path)
    assert list(told) == list(total) == FIELDS
    assert (told["path"], total["path"], code) == (str(path), "TOTAL", 0)
    assert (told["format"], told["state"], told["lines"]) == ("native", "done", 3)
    assert (told["recorded"], told["rejected"]) == (2, 1)
    assert (told["requests"], told["errors"]) == (1, 1)
    assert told["rejections"] == [
        {
            "path": str(path),
            "line": 3,
            "code": "not_json",
            "reason": told["rejections"][0]["reason"],
        }
    ]


def test_a_second_run_changes_nothing_and_keeps_unknown_kinds_null(ingest, log):
    path = log("a.jsonl", ndjson(event(1), event(2)))
    ingest(path)
    (told, _), code = ingest(path)
    assert (told["state"], told["recorded"], told["updated"], told["duplicates"], code) == (
        "unchanged",
        0,
        0,
        2,
        0,
    )
    assert (told["requests"], told["input_tokens"], told["output_tokens"]) == (0, 0, 0)
    assert told["cache_read_input_tokens"] is None
    assert counted() == (2, 200)


def test_a_folder_is_one_input_and_copies_in_it_count_once(ingest, log, tmp_path):
    first = ndjson(answer("m-1", 1), answer("m-1", 90), {"type": "summary", "leafUuid": "x"})
    log("projects/app/one.jsonl", first)
    log("projects/app/.hidden/two.jsonl", first + ndjson(answer("m-2", 7)))
    log("projects/notes.txt", b"nothing to see\n")
    (told, total), code = ingest(tmp_path)
    assert (told["format"], told["state"], code) == ("claude_code", "done", 0)
    assert (told["requests"], told["recorded"], told["skipped"]) == (2, 2, 2)
    assert (told["input_tokens"], told["output_tokens"]) == (80, 97)
    assert (told["lines"], told["rejected"]) == (7, 0)
    [rejection] = told["rejections"]
    assert (rejection["line"], rejection["code"]) == (None, "unknown_format")
    assert rejection["path"].endswith("projects/notes.txt")
    assert is_conserved(Import.objects.get())
    assert total["requests"] == 2


def test_a_folder_of_several_formats_has_none(ingest, log, tmp_path):
    log("a.jsonl", ndjson(event(1)))
    log("b.jsonl", timings(2))
    (told, _), _ = ingest(tmp_path)
    assert (told["format"], told["lines"], told["requests"]) == (None, 3, 3)


def test_links_in_a_folder_are_not_followed(ingest, log, tmp_path):
    outside = log("outside/a.jsonl", ndjson(event(1)))
    log("inside/b.jsonl", ndjson(event(2)))
    (tmp_path / "inside/link.jsonl").symlink_to(outside)
    (tmp_path / "inside/loop").symlink_to(tmp_path)
    (told, _), _ = ingest(tmp_path / "inside")
    assert told["lines"] == 1


def test_several_paths_are_several_inputs(ingest, log):
    one = log("a.jsonl", ndjson(event(1), event(2)))
    two = log("b.jsonl", ndjson(event(2), event(3)))
    (first, second, total), _ = ingest(one, two)
    assert (first["recorded"], second["recorded"], second["duplicates"]) == (2, 1, 1)
    assert (total["recorded"], total["lines"], total["input_tokens"]) == (3, 4, 300)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "empty_file"),
        (b"hello\n", "unknown_format"),
        (b"\x7fELF\0" + bytes(range(1, 90)), "binary_file"),
        (gzip.compress(ndjson(event(1)), mtime=0)[:-4], "truncated_gzip"),
    ],
)
def test_a_refused_input_exits_1_and_the_others_are_read(ingest, log, body, code):
    bad, good = log("bad.bin", body), log("good.jsonl", ndjson(event(2)))
    (refused, read, total), exit_code = ingest(bad, good)
    assert (refused["state"], refused["lines"], exit_code) == ("refused", 0, 1)
    assert [(one["line"], one["code"]) for one in refused["rejections"]] == [(None, code)]
    assert (read["state"], total["state"]) == ("done", "refused")
    assert counted() == (1, 100)


def test_a_path_that_is_not_there_is_refused(ingest, tmp_path):
    (told, _), code = ingest(tmp_path / "nothing")
    assert (told["state"], told["rejections"][0]["code"], code) == ("refused", "not_found", 1)


def test_a_folder_without_any_log_is_refused(ingest, log, tmp_path):
    log("readme.txt", b"hello\n")
    (told, _), code = ingest(tmp_path)
    assert (told["state"], code) == ("refused", 1)


def test_bad_lines_alone_fail_nothing(ingest, log):
    (told, _), code = ingest(log("a.jsonl", ndjson(event(1, input_tokens=-1))))
    assert (told["state"], told["rejected"], code) == ("done", 1, 0)


def test_packed_files_are_read(ingest, log):
    (told, _), _ = ingest(log("a.jsonl.gz", gzip.compress(ndjson(event(1)))))
    assert told["recorded"] == 1


def test_a_load_test_that_grew_adds_only_its_new_rows(ingest, log):
    path = log("night.jsonl", timings(4))
    ingest(path, "--set", "model=llama", "--set", "run=night")
    path.write_bytes(timings(6))
    (told, _), _ = ingest(path, "--set", "model=llama", "--set", "run=night")
    assert (told["recorded"], told["duplicates"], told["updated"]) == (2, 4, 0)
    assert Run.objects.get().label == "night"
    assert UsageEvent.objects.filter(model="llama", purpose="benchmark").count() == 6


def test_missing_times_are_those_of_the_file_or_of_the_option(ingest, log):
    path = log("a.jsonl", timings(1))
    os.utime(path, (1_767_225_600, 1_767_225_600))
    ingest(path)
    assert UsageEvent.objects.get().occurred_at.isoformat() == "2026-01-01T00:00:00+00:00"
    ingest(path, "--set", "run=two", "started_at=2026-02-03T04:05:06+02:00")
    later = UsageEvent.objects.order_by("occurred_at").last()
    assert later.occurred_at.isoformat() == "2026-02-03T02:05:06+00:00"


def test_a_dry_run_counts_against_empty_books_and_leaves_nothing(ingest, log):
    path = log("a.jsonl", ndjson(event(1), event(2), "bad"))
    ingest(path)
    before = Import.objects.count()
    (told, total), code = ingest(path, "--dry-run")
    assert (told["recorded"], told["requests"], told["rejected"], code) == (2, 2, 1, 0)
    assert total["input_tokens"] == 200
    assert Import.objects.count() == before
    assert Rejection.objects.count() == 1
    assert UsageHour.objects.count() == 1
    assert counted() == (2, 200)


def test_inputs_of_a_dry_run_know_nothing_of_each_other(ingest, log):
    path = log("a.jsonl", ndjson(event(1)))
    (first, second, total), _ = ingest(path, path, "--dry-run")
    assert (first["recorded"], second["recorded"], total["recorded"]) == (1, 1, 2)


def test_a_named_project_is_charged(ingest, log, books):
    alpha = Project.objects.create(organization=books, slug="alpha", name="Alpha")
    ingest(log("a.jsonl", ndjson(event(1))), "--project", "alpha")
    assert UsageEvent.objects.get().project_id == alpha.pk


def test_an_error_of_ours_fails_the_input_and_not_the_command(ingest, log, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret prompt")

    good = paths.book
    monkeypatch.setattr(paths, "book", broken)
    (told, _), code = ingest(log("a.jsonl", ndjson(event(1))))
    assert (told["state"], told["rejections"][0]["code"], code) == ("failed", "reading_failed", 1)
    assert "secret" not in json.dumps(told)
    monkeypatch.setattr(paths, "book", good)
    (told, _), code = ingest(log("a.jsonl", ndjson(event(1))))
    assert (told["recorded"], code) == (1, 0)


def test_people_get_a_table(books, log):
    out = StringIO()
    call_command("ingest", str(log("a.jsonl", ndjson(event(1), "bad"))), stdout=out)
    assert "native" in out.getvalue()
    assert "a.jsonl:2: not_json" in out.getvalue()


AHEAD = "2098-05-01T10:00:00Z"


def test_what_lies_ahead_is_counted_and_pointed_out_with_its_lines(ingest, log, tmp_path):
    log("logs/a.jsonl", ndjson(event(1), event(2, started_at=AHEAD)))
    log("logs/b.jsonl", ndjson(event(3, started_at=AHEAD), event(4, started_at=AHEAD)))
    folder = tmp_path / "logs"
    (told, total), code = ingest(folder)
    assert (told["state"], told["recorded"], told["rejected"], code) == ("done", 4, 0, 0)
    [warning] = told["warnings"]
    assert (warning["code"], warning["lines"]) == ("in_future", 3)
    assert warning["places"] == [
        {"path": f"{folder}/a.jsonl", "line": 2},
        {"path": f"{folder}/b.jsonl", "line": 1},
        {"path": f"{folder}/b.jsonl", "line": 2},
    ]
    assert "whether the clock of what wrote the log is right" in warning["reason"]
    assert total["warnings"] == told["warnings"]


def test_people_are_told_what_to_do_about_it(books, log):
    path = log("a.jsonl", ndjson(event(1), event(2, started_at=AHEAD)))
    out = StringIO()
    call_command("ingest", str(path), stdout=out)
    assert f"{path}: 1 line (2): in_future: it starts later than a day from now" in out.getvalue()


def test_usage_that_lies_ahead_is_in_the_range_of_all(ingest, log, books, client):
    ingest(log("a.jsonl", ndjson(event(1), event(2, started_at=AHEAD))))
    headers = {"X-Api-Key": new_key(books, ["read"])}
    told = client.get("/api/v1/usage", {"range": "all"}, headers=headers).json()
    assert (told["totals"]["requests"], told["totals"]["input_tokens"]) == (2, 200)
    source = Import.objects.get()
    told = client.get(f"/api/v1/imports/{source.pk}", headers=headers).json()
    assert [(one["code"], one["lines"]) for one in told["warnings"]] == [("in_future", 1)]
    assert told["warnings"][0]["places"][0]["line"] == 2


def test_lines_and_files_that_were_left_out_are_counted_on_standard_error(books, log, tmp_path):
    log("logs/a.jsonl", ndjson(event(1), "bad", "worse"))
    log("logs/notes.txt", b"hello\n")
    log("logs/torn.jsonl.gz", gzip.compress(ndjson(event(2)))[:-4])
    out, errors = StringIO(), StringIO()
    call_command("ingest", str(tmp_path / "logs"), "--json", stdout=out, stderr=errors)
    assert errors.getvalue() == f"{tmp_path}/logs: 2 lines rejected, 2 files not read\n"
    assert [json.loads(line)["path"] for line in out.getvalue().splitlines()][1:] == ["TOTAL"]
