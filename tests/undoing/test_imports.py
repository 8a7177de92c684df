"""Undoing imports from the command and the page's door: everything that an import left goes."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from io import StringIO
from threading import Event

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from accounting.models import Import, Run, SessionTotal, UsageAggregate, UsageEvent
from accounting.services.builtin_prices import load_builtin
from accounting.services.demo import load_demo
from accounting.services.rollups import differences
from accounting.services.undoing import MetByLaterError
from ingest.models import InboxChunk
from ingest.services import chunks, reading
from ingest.services.attribution import attribution_of
from ingest.services.booking import RunGoneError
from ingest.services.undoing import NotUndoableError, undo_imports
from tests.factories import ImportFactory
from tests.formats.reading import SAMPLES, sample
from tests.ingest.conftest import event, ndjson
from tests.undoing.books import snapshot


@pytest.fixture
def undo(books):
    """Run `imports undo` with --json; its object or what it says, and its exit code."""

    def ran(*numbers):
        out = StringIO()
        try:
            call_command("imports", "undo", *map(str, numbers), "--json", stdout=out)
        except CommandError as error:
            return str(error), error.returncode
        return json.loads(out.getvalue()), 0

    return ran


def newest():
    return Import.objects.order_by("-pk").first()


def test_three_overlapping_imports_of_samples_undone_in_reverse_leave_each_step(
    books, ingest, undo, log, tmp_path
):
    load_builtin()
    transcript = sample("claude_code/projects/-srv-shop/s-1.jsonl").splitlines(keepends=True)
    log("half/s-1.jsonl", b"".join(transcript[:4]))
    shutil.copytree(SAMPLES / "vllm_bench", tmp_path / "half/vllm_bench")
    shutil.copytree(SAMPLES / "anthropic_usage_report", tmp_path / "half/anthropic_usage_report")
    steps, told = [], []
    for path in (tmp_path / "half", SAMPLES, SAMPLES / "claude_code"):
        steps.append(snapshot())
        (result, _), code = ingest(path)
        assert code == 0
        told.append((newest().pk, result))
    (first, _), (whole, result), (copy, again) = told
    assert result["recorded"] > 100
    assert Decimal(result["cost"]["USD"]) > 0
    assert result["duplicates"] > 4
    assert again["recorded"] == 0

    before = snapshot()
    message, code = undo(first)
    assert code == 1
    assert message.startswith("met_by_later_imports:")
    assert f"imports undo {first} {whole} {copy}" in message
    assert undo(whole)[1] == 1
    assert snapshot() == before

    for (number, result), books_then in zip(reversed(told), reversed(steps), strict=True):
        undone, code = undo(number)
        assert (code, undone["state"]) == (0, "undone")
        assert undone["requests"] == -result["requests"]
        costs = {code: Decimal(amount) for code, amount in undone["cost"].items()}
        assert {code: -amount for code, amount in costs.items() if amount} == {
            code: Decimal(amount) for code, amount in result["cost"].items() if Decimal(amount)
        }
        assert snapshot() == books_then
        assert not any(differences(organization_id=books.pk).values())
    assert not UsageEvent.objects.exists()
    assert not UsageAggregate.objects.exists()
    assert not Run.objects.exists()
    assert not SessionTotal.objects.exists()
    assert set(Import.objects.values_list("state", flat=True)) == {"undone"}


def test_all_of_them_go_at_once_when_all_are_named(books, ingest, undo):
    for path in (SAMPLES / "codex", SAMPLES, SAMPLES / "codex"):
        ingest(path)
    undone, code = undo(*Import.objects.values_list("pk", flat=True))
    assert (code, undone["restored"]) == (0, 0)
    assert not UsageEvent.objects.exists()
    assert not any(differences(organization_id=books.pk).values())


def test_an_undone_file_counts_anew(books, ingest, undo):
    path = SAMPLES / "native/events.jsonl"
    (first, _), _ = ingest(path)
    undo(newest().pk)
    (again, _), _ = ingest(path)
    assert again == first


def test_a_report_gives_back_the_figures_it_replaced(books, ingest, undo, log):
    report = sample("openai_org_costs/costs.json")
    ingest(log("costs.json", report))
    first, before = newest().pk, snapshot()
    ingest(log("costs.json", report.replace(b"0.0325", b"0.0400")))
    second = newest().pk
    assert undo(first)[1] == 1
    assert undo(second)[1] == 0
    assert snapshot() == before
    assert undo(first)[1] == 0
    assert not UsageAggregate.objects.exists()


def test_a_report_that_told_the_same_counts_too(books, ingest, undo):
    path = SAMPLES / "openai_org_costs/costs.json"
    ingest(path)
    first = newest().pk
    ingest(path)
    message, code = undo(first)
    assert code == 1
    assert str(newest().pk) in message


def pushed(push, *events, **headers):
    return push(ndjson(*events), **headers).json()["import_id"]


def test_chunks_that_wait_go_and_are_never_read(books, push):
    number = pushed(push, event(1), event(2))
    assert InboxChunk.objects.filter(state="ready").count() == 1
    undo_imports(organization_id=books.pk, import_ids=[number])
    assert not InboxChunk.objects.exists()
    assert not reading.read_waiting(seconds=60)
    assert not UsageEvent.objects.exists()
    assert Import.objects.get().state == "undone"


def test_an_import_with_a_quarantined_chunk_goes_whole(books, push):
    number = pushed(push, event(1))
    assert not reading.read_waiting(seconds=60)
    InboxChunk.objects.create(
        organization=books, source_import_id=number, number=2, size=1, state="quarantined"
    )
    Import.objects.filter(pk=number).update(state="quarantined")
    undo_imports(organization_id=books.pk, import_ids=[number])
    assert not InboxChunk.objects.exists()
    assert not UsageEvent.objects.exists()


def test_the_same_push_with_its_idempotency_key_counts_anew(books, push):
    number = pushed(push, event(1), idempotency_key="k-1")
    assert not reading.read_waiting(seconds=60)
    undo_imports(organization_id=books.pk, import_ids=[number])
    again = pushed(push, event(1), idempotency_key="k-1")
    assert again != number
    assert not reading.read_waiting(seconds=60)
    assert Import.objects.get(pk=again).recorded == 1


def test_an_undone_import_keeps_its_row_its_counters_and_its_rejections(books, push):
    number = pushed(push, event(1), "not json")
    assert not reading.read_waiting(seconds=60)
    undo_imports(organization_id=books.pk, import_ids=[number])
    source = Import.objects.get(pk=number)
    assert (source.state, source.recorded, source.rejected) == ("undone", 1, 1)
    assert source.undone_at is not None
    assert source.rejections.count() == 1


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"state": "receiving"}, "import_unfinished"),
        ({"state": "reading", "door": "command"}, "import_unfinished"),
        ({"state": "undone"}, "already_undone"),
        ({"door": "demo"}, "sample_data"),
        ({"lines": 3, "recorded": 3}, "undo_not_kept"),
    ],
)
def test_what_cannot_be_undone_is_refused_with_a_reason(books, undo, values, code):
    source = ImportFactory(organization=books, **values)
    message, exit_code = undo(source.pk)
    assert exit_code == 1
    assert message.startswith(f"{code}: ")


def test_another_organizations_import_is_not_there(books):
    foreign = ImportFactory()
    with pytest.raises(NotUndoableError) as refused:
        undo_imports(organization_id=books.pk, import_ids=[foreign.pk])
    assert refused.value.code == "not_found"


def test_an_import_of_which_nothing_was_counted_is_undone_too(books, ingest, undo, log):
    ingest(log("bad.jsonl", ndjson("{", "[]")))
    undone, code = undo(newest().pk)
    assert (code, undone["removed"], undone["restored"]) == (0, 0, 0)


def test_a_demo_can_be_removed_beside_undone_imports(books, ingest, undo):
    ingest(SAMPLES / "native/events.jsonl")
    undo(newest().pk)
    from django.utils import timezone

    load_demo(organization_id=books.pk, now=timezone.now())
    call_command("demo", "--remove", stdout=StringIO())
    assert not UsageEvent.objects.exists()
    assert not any(differences(organization_id=books.pk).values())


def test_a_run_that_was_undone_while_a_file_of_it_was_read_is_read_again(
    books, ingest, monkeypatch
):
    def undone_meanwhile(source):
        found = attribution_of(source)
        run = Run.objects.create(organization=books, tool="vllm_bench", label="gone")
        found._runs = _Any(run.pk)
        run.delete()
        return found

    monkeypatch.setattr("ingest.services.paths.attribution_of", undone_meanwhile)
    (told, _), code = ingest(SAMPLES / "vllm_bench/runs.jsonl")
    assert (code, told["state"]) == (1, "failed")
    assert RunGoneError.__name__ in Import.objects.get().reason
    assert not UsageEvent.objects.exists()


class _Any(dict):
    """Every run is this one."""

    def __init__(self, run_id):
        super().__init__()
        self.run_id = run_id

    def get(self, _key, _default=None):
        return self.run_id


@pytest.mark.django_db(transaction=True)
def test_a_chunk_that_is_being_posted_is_waited_for_and_one_that_is_read_is_dropped(
    books, push, monkeypatch
):
    """Undo begins while a worker posts: it waits; a worker that has read meanwhile finds nothing."""
    number = pushed(push, event(1))
    posting, may_go_on = Event(), Event()
    booked = chunks.book

    def book_slowly(**how):
        source = booked(**how)
        posting.set()
        assert may_go_on.wait(20)
        return source

    monkeypatch.setattr(chunks, "book", book_slowly)
    with ThreadPoolExecutor(2) as pool:
        worker = pool.submit(_on_its_own, lambda: reading.read_waiting(seconds=60))
        assert posting.wait(20)
        undoing = pool.submit(
            _on_its_own, lambda: undo_imports(organization_id=books.pk, import_ids=[number])
        )
        may_go_on.set()
        assert not worker.result(30)
        assert undoing.result(30).removed == 1
    assert not UsageEvent.objects.exists()
    assert Import.objects.get().state == "undone"
    assert not any(differences(organization_id=books.pk).values())


def _on_its_own(work):
    try:
        return work()
    finally:
        connection.close()


def test_a_refusal_names_who_met_its_events(books, push):
    first, second = pushed(push, event(1)), pushed(push, event(1))
    assert not reading.read_waiting(seconds=60)
    with pytest.raises(MetByLaterError) as refused:
        undo_imports(organization_id=books.pk, import_ids=[first])
    assert refused.value.met_by == (second,)
