"""manage.py watch: what it takes, prints and refuses."""

import gzip
import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounting.models import Project, UsageEvent
from ingest.models import WatchedFile, WatchedFolder
from tests.ingest.conftest import counted, event, ndjson
from tests.watching.conftest import append


@pytest.fixture
def watch(books):
    """Run the command with --json; its objects and its exit code, or what it says."""

    def ran(*arguments):
        out = StringIO()
        try:
            call_command("watch", *map(str, arguments), "--json", stdout=out)
        except CommandError as error:
            return str(error), error.returncode
        return [json.loads(line) for line in out.getvalue().splitlines()], 0

    return ran


def test_a_folder_is_added_looked_at_listed_and_removed(watch, folder):
    append(folder / "a.jsonl", ndjson(event(1)) + b'{"id"')
    append(folder / "b.md", b"# notes\n")
    told, code = watch("add", folder, "--only", "*.jsonl")
    assert (told, code) == ([{"folder": str(folder), "state": "watched"}], 0)
    [told], code = watch("now")
    assert (told["is_through"], told["recorded"], told["files"], code) == (True, 1, 1, 0)
    [told], _ = watch("list")
    assert (told["folder"], told["organization"], told["project"]) == (str(folder), "default", None)
    assert (told["files"], told["code"], told["only"]) == (1, None, "*.jsonl")
    assert told["unread"] == [{"inside": "a.jsonl", "code": "", "reason": "", "waiting": 5}]
    assert watch("remove", folder) == ([{"folder": str(folder), "state": "removed"}], 0)
    assert (watch("list"), counted()) == (([], 0), (1, 100))
    assert WatchedFile.objects.count() == 0


def test_a_packed_file_that_has_just_come_is_waited_for(watch, folder):
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(ndjson(event(1))))
    watch("add", folder)
    told, code = watch("now", folder)
    assert ([one["recorded"] for one in told], code) == ([0, 1], 0)


def test_usage_goes_to_the_project_and_is_read_as_was_said(watch, folder, books):
    Project.objects.create(organization=books, slug="shop", name="Shop")
    append(folder / "a.jsonl", b'{"ttft_ms": 100, "tokens": 10, "total_ms": 400}\n')
    told = watch("add", folder, "--project", "shop", "--format", "token_timing", "--set", "model=m")
    assert told[1] == 0
    watch("now")
    found = UsageEvent.objects.get()
    shop = Project.objects.get(slug="shop")
    assert (found.project_id, found.request_model) == (shop.pk, "m")
    [told], _ = watch("list")
    assert told["project"] == "shop"


def test_files_are_read_again_when_it_is_asked_for(watch, folder):
    append(folder / "a.jsonl", ndjson(event(1)))
    append(folder / "b.jsonl", ndjson(event(2)))
    watch("add", folder)
    watch("now")
    assert watch("again", folder, "b.jsonl")[0] == [{"folder": str(folder), "files": 1}]
    [told], _ = watch("now")
    assert (told["lines"], told["duplicates"]) == (1, 1)
    assert watch("again", folder)[0] == [{"folder": str(folder), "files": 2}]
    [told], _ = watch("now")
    assert (told["lines"], told["duplicates"], counted()) == (2, 2, (2, 200))


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (("add", "{folder}/none"), "not_found", 1),
        (("add", "{folder}/a.jsonl"), "not_a_folder", 1),
        (("add", "{folder}"), "already_watched", 1),
        (("add", "{folder}/inner"), "already_watched", 1),
        (("add", "{folder}/.."), "already_watched", 1),
        (("add", ""), "the path is empty", 1),
        (("again", "{folder}/inner"), "not_watched", 1),
        (("again", "{folder}", "none.jsonl"), "not_found", 1),
        (("now", "{folder}/inner"), "not_watched", 1),
        (("remove", "{folder}/inner"), "not_watched", 1),
        (("add", "{folder}/other", "--project", "none"), "no project", 2),
        (("add", "{folder}/other", "--format", "none"), "none", 2),
        (("list", "--organization", "none"), "no organization", 2),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(watch, folder, arguments, code, exit_code):
    append(folder / "a.jsonl", ndjson(event(1)))
    (folder / "inner").mkdir()
    watch("add", folder)
    said, exit_found = watch(*(text.format(folder=folder) for text in arguments))
    assert (code in said, exit_found) == (True, exit_code), said
    assert WatchedFolder.objects.count() == 1


def test_a_folder_that_is_not_there_fails_the_look_and_not_the_others(watch, folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    append(folder / "a.jsonl", ndjson(event(1)))
    watch("add", folder)
    watch("add", other)
    other.rmdir()
    said, code = watch("now")
    assert (said, code, counted()) == ("not every folder could be looked at", 1, (1, 100))
