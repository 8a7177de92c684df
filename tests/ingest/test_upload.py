"""Files sent from the Imports page."""

import gzip

import pytest
from django.contrib.auth.models import User
from django.test import Client

from accounting.models import Import, Membership, Run, UsageEvent
from ingest.models import InboxChunk
from ingest.services.receive import Sender, receive_upload
from tests.ingest.conftest import (
    Torn,
    counted,
    event,
    ndjson,
    only_import,
    read_all,
    timings,
    zipped,
)

UPLOAD = "/imports/upload"
BINARY = "application/octet-stream"


@pytest.fixture
def upload(client, books):
    client.force_login(User.objects.get(username="owner"))

    def uploaded(body, query="?name=usage.jsonl", **more):
        return client.post(UPLOAD + query, body, content_type=BINARY, **more)

    return uploaded


def test_a_file_is_kept_and_then_read(upload):
    answer = upload(ndjson(event(1), event(2)))
    source = only_import()
    assert answer.status_code == 201
    assert answer.json()["import_id"] == source.pk
    assert (source.name, source.door, source.format) == ("usage.jsonl", "upload", "native")
    read_all()
    assert counted() == (2, 200)


def test_a_browser_that_wants_html_gets_a_link(upload):
    answer = upload(ndjson(event(1)), headers={"Accept": "text/html"})
    assert answer["Location"] in answer.content.decode()


@pytest.mark.parametrize("packed", [zipped, lambda body: zipped(body[:100]) + zipped(body[100:])])
def test_a_packed_file_counts_as_if_it_were_plain(upload, packed):
    upload(packed(ndjson(event(1), event(2))))
    read_all()
    assert counted() == (2, 200)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "empty_file"),
        (b"\0\1\2\3" * 100, 422, "binary_file"),
        (b"hello\n", 422, "unknown_format"),
        (gzip.compress(ndjson(event(1)), mtime=0)[:-4], 400, "truncated_gzip"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_a_failed_import(upload, body, status, code):
    answer = upload(body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    source = only_import()
    assert answer.json()["import_id"] == source.pk
    assert (source.state, source.error_code) == ("failed", code)
    assert not InboxChunk.objects.exists()


def test_a_refused_file_has_its_whole_size(upload):
    upload(b"hello\n" * 50_000)
    assert only_import().size == 300_000


def test_a_torn_gzip_leaves_no_chunk_that_was_kept_before_the_tear(upload):
    lines = ndjson(*(event(n, tags={"noise": f"{n * 7919:x}" * 20}) for n in range(60_000)))
    answer = upload(gzip.compress(lines, 1)[:-8])
    assert answer.json()["code"] == "truncated_gzip"
    assert not InboxChunk.objects.exists()
    read_all()
    assert not UsageEvent.objects.exists()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, "body_incomplete"),
        (OSError("reset by peer"), "body_incomplete"),
        (TimeoutError("nothing came"), "body_late"),
    ],
)
def test_an_upload_that_does_not_come_whole_leaves_nothing(books, error, code):
    # More than a chunk, so that some were kept already.
    body = Torn(ndjson(*(event(n, tags={"noise": "x" * 180}) for n in range(20_000))), error)
    sender = Sender(organization_id=books.pk, name="a.jsonl")
    receipt = receive_upload(sender=sender, stream=body, limit=10**9, expected=10**8)
    assert (receipt.state, receipt.code, receipt.import_id) == ("refused", code, None)
    assert not InboxChunk.objects.exists()
    assert not Import.objects.exists()


def test_an_upload_that_stalls_is_told_so(upload):
    # As the server's own stream: Django wraps what it raises.
    sent = {"wsgi.input": Torn(ndjson(event(1)), TimeoutError("nothing came"))}
    answer = upload(b"", CONTENT_LENGTH="1000", CONTENT_TYPE=BINARY, **sent)
    assert (answer.status_code, answer.json()["code"]) == (408, "body_late")
    assert not Import.objects.exists()


def test_an_unknown_parameter_is_refused(upload):
    told = upload(ndjson(event(1)), "?name=a.jsonl&modle=x").json()
    assert (told["code"], told["parameter"]) == ("unknown_parameter", "modle")
    assert not Import.objects.exists()


def test_a_file_that_is_not_of_the_format_that_was_asked_for_is_refused(upload):
    answer = upload(ndjson(event(1)), "?name=a.jsonl&format=codex")
    assert (answer.status_code, answer.json()["code"]) == (422, "not_this_format")
    assert not InboxChunk.objects.exists()


def test_a_file_is_refused_beyond_its_limit(upload, settings):
    settings.MAX_UPLOAD_BYTES = 100
    answer = upload(ndjson(event(1), event(2)))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_the_options_of_a_benchmark_come_as_parameters(upload):
    upload(timings(3), "?name=a.jsonl&provider=vllm&model=llama&run=night&input_tokens=512")
    read_all()
    run = Run.objects.get()
    assert (run.label, run.tool, run.model) == ("night", "token_timing", "llama")
    found = UsageEvent.objects.all()
    assert {(e.run_id, e.purpose, e.input_tokens) for e in found} == {(run.pk, "benchmark", 512)}


def test_a_benchmark_without_a_label_is_named_like_its_file(upload):
    upload(timings(1), "?name=C:\\runs\\night.jsonl")
    read_all()
    assert Run.objects.get().label == "night.jsonl"


def test_strangers_and_viewers_may_not_upload(client, books):
    assert client.post(UPLOAD, b"x", content_type=BINARY).status_code == 302
    viewer = User.objects.create(username="viewer")
    Membership.objects.create(organization=books, user=viewer, role="viewer")
    client.force_login(viewer)
    assert client.post(UPLOAD, b"x", content_type=BINARY).status_code == 403
    assert not Import.objects.exists()


def test_an_upload_needs_the_page_it_was_sent_from(books):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="owner"))
    assert strict.post(UPLOAD, b"x", content_type=BINARY).status_code == 403


def test_a_form_is_not_a_file(client, books):
    client.force_login(User.objects.get(username="owner"))
    assert client.post(UPLOAD, {"file": "x"}).json()["code"] == "unsupported_media_type"
