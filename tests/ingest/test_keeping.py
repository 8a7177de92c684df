"""What is kept after reading: nothing, or for some days what a mended reader needs and no text."""

import json
from datetime import timedelta
from io import StringIO

import pytest
import zstandard
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from accounting.models import Import, UsageEvent
from ingest.formats.native import FORMAT as NATIVE
from ingest.models import InboxChunk
from ingest.services import chunks, sweeping
from ingest.services.undoing import undo_imports
from tests.ingest.conftest import counted, event, ndjson, read_all
from tests.ingest.poison import mend

SECRET = "Write a poem about Ada"


def answer(number, **more):
    """An answer of a provider, with its prompt and text."""
    told = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_775_548_800 + number,
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": SECRET}],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": SECRET}}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }
    return {**told, **more}


@pytest.fixture
def keeping(settings):
    settings.KEEP_RAW_DAYS = 7


@pytest.fixture
def reread(books):
    """Run `ingest --reread` with --json; its first object and its exit code."""

    def ran(import_id):
        out, code = StringIO(), 0
        try:
            call_command("ingest", reread=import_id, json=True, stdout=out, stderr=StringIO())
        except CommandError as error:
            code = error.returncode
        lines = out.getvalue().splitlines()
        return (json.loads(lines[0]) if lines else None), code

    return ran


def kept():
    body = bytes(InboxChunk.objects.order_by("pk").first().body)
    return zstandard.ZstdDecompressor().decompress(body) if body else b""


def test_nothing_is_kept_unless_it_is_asked_for(push):
    push(ndjson(answer(1)))
    read_all()
    chunk = InboxChunk.objects.get()
    assert (kept(), chunk.kept_until) == (b"", None)


def test_what_is_kept_has_no_text_and_is_as_long(push, keeping):
    body = ndjson(answer(1), answer(2))
    push(body)
    read_all()
    assert SECRET.encode() not in kept()
    assert len(kept()) == len(body)
    assert kept().count(b"prompt_tokens") == 2
    until = InboxChunk.objects.get().kept_until - timezone.now()
    assert timedelta(days=6, hours=23) < until <= timedelta(days=7)


def test_a_mended_reader_adds_what_it_could_not_read_before(push, keeping, reread, monkeypatch):
    from dataclasses import replace

    from ingest.formats.base import Rejected

    plain = NATIVE.read

    def read(items, options, state):
        for item in items:
            if b"r-2" in item.body:
                yield Rejected(line=item.line, offset=item.offset, code="not_json", reason="a bug")
            else:
                yield from plain([item], options, state)

    monkeypatch.setattr(chunks, "format_of", lambda _: replace(NATIVE, read=read))
    push(ndjson(event(1), event(2), event(3)))
    read_all()
    old = Import.objects.get()
    assert (old.recorded, old.rejected) == (2, 1)
    mend(monkeypatch)

    told, code = reread(old.pk)
    assert (told["state"], told["recorded"], told["duplicates"], code) == ("done", 1, 2, 0)
    assert counted() == (3, 300)
    new = Import.objects.order_by("pk").last()
    assert (new.options["reread_of"], new.received_at) == (old.pk, old.received_at)
    assert new.chunks.get().kept_until is None
    told, _ = reread(old.pk)
    assert (told["state"], told["recorded"], told["duplicates"]) == ("unchanged", 0, 3)


def test_an_event_keeps_its_line_and_offset_when_it_is_read_again(push, keeping, reread):
    push(ndjson(answer(1), answer(2)))
    read_all()
    places = "response_id", "line", "byte_offset", "occurred_at"
    before = list(UsageEvent.objects.order_by("response_id").values(*places))
    number = Import.objects.get().pk
    copy = InboxChunk.objects.get().body
    undo_imports(organization_id=Import.objects.get().organization_id, import_ids=[number])
    assert not UsageEvent.objects.exists()
    Import.objects.filter(pk=number).update(state="done")
    InboxChunk.objects.create(
        organization_id=Import.objects.get().organization_id,
        source_import_id=number,
        number=1,
        state="done",
        body=copy,
        size=1,
    )
    reread(number)
    assert list(UsageEvent.objects.order_by("response_id").values(*places)) == before


def test_a_record_that_is_known_by_its_text_alone_is_not_kept(push, keeping, reread):
    push(ndjson(answer(1), answer(2, id=None), answer(3)))
    read_all()
    assert counted()[0] == 3
    first, second, third, _ = kept().split(b"\n")
    assert (b"chatcmpl-1" in first, second.strip(), b"chatcmpl-3" in third) == (True, b"", True)
    told, _ = reread(Import.objects.get().pk)
    assert (told["lines"], told["recorded"], told["duplicates"]) == (2, 0, 2)
    assert counted()[0] == 3


def test_what_is_over_is_dropped(push, keeping, reread):
    push(ndjson(answer(1)))
    read_all()
    assert sweeping.let_go_of_kept() == 0
    InboxChunk.objects.update(kept_until=timezone.now() - timedelta(seconds=1))
    assert sweeping.let_go_of_kept() == 1
    assert kept() == b""
    assert reread(Import.objects.get().pk) == (None, 1)
    assert sweeping.let_go_of_kept() == 0


def test_an_import_that_was_not_kept_or_is_not_there_is_refused(push, reread):
    push(ndjson(event(1)))
    read_all()
    assert reread(Import.objects.get().pk) == (None, 1)
    assert reread(999_999) == (None, 1)
    assert Import.objects.count() == 1


def test_paths_or_an_import_but_not_both(books):
    for arguments in ([], ["a.jsonl", "--reread", "1"]):
        with pytest.raises(CommandError) as wrong:
            call_command("ingest", *arguments)
        assert wrong.value.returncode == 2


def test_an_error_while_a_copy_is_made_costs_the_copy_alone(push, keeping, monkeypatch, caplog):
    def break_down(*_, **__):
        raise RuntimeError(SECRET)

    monkeypatch.setattr(chunks, "kept_copy", break_down)
    push(ndjson(answer(1)))
    read_all()
    assert counted()[0] == 1
    assert kept() == b""
    assert "nothing is kept: RuntimeError" in caplog.text
    assert SECRET not in caplog.text
