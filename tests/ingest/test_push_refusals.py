"""What a push is refused for: status, code, and nothing in the books."""

import gzip
from unittest.mock import patch

import pytest
from django.db import OperationalError

from accounting.models import Import, UsageEvent
from tests.ingest.conftest import EVENTS, event, ndjson, new_key, zipped

GOOD = ndjson(event(1))


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (b"hello, world\nhow are you\n", {}, 422, "unknown_format"),
        (b'{"colour": "red"}\n', {}, 422, "unknown_format"),
        (b"not json\n", {}, 422, "unknown_format"),
        (b"\x7fELF\x00\x01\x02" * 40, {}, 422, "binary_file"),
        ("héllo".encode("utf-16"), {}, 400, "encoding_not_utf8"),
        (GOOD, {"Content_Encoding": "gzip"}, 400, "not_gzip"),
        (zipped(GOOD)[:-9], {"Content_Encoding": "gzip"}, 400, "truncated_gzip"),
        (zipped(GOOD) + b"rubbish", {"Content_Encoding": "gzip"}, 400, "trailing_garbage"),
        (zipped(zipped(GOOD)), {"Content_Encoding": "gzip"}, 400, "nested_compression"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_and_listed(push, body, headers, status, code):
    answer = push(body, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"
    source = Import.objects.get()
    assert (source.state, source.error_code, source.lines) == ("failed", code, 0)
    assert source.chunks.count() == 0
    assert source.rejections.get().line is None


@pytest.mark.parametrize(
    ("headers", "content_type", "status", "code"),
    [
        ({}, "text/plain", 415, "unsupported_media_type"),
        ({}, "multipart/form-data", 415, "unsupported_media_type"),
        ({"Content_Encoding": "br"}, "application/json", 415, "unsupported_encoding"),
        ({"Authorization": "Bearer tb_wrong"}, "application/json", 401, "bad_key"),
        ({"Authorization": "Bearer "}, "application/json", 401, "bad_key"),
        ({"Authorization": "Basic dGI6dGI="}, "application/json", 401, "unauthenticated"),
        ({"Authorization": ""}, "application/json", 401, "unauthenticated"),
        ({"Idempotency_Key": "k" * 201}, "application/json", 400, "bad_idempotency_key"),
    ],
)
def test_a_wrong_request_is_refused_before_its_body_is_kept(
    push, headers, content_type, status, code
):
    answer = push(GOOD, content_type=content_type, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Import.objects.exists()


@pytest.mark.parametrize(
    ("query", "status", "code", "parameter"),
    [
        ("?project=nowhere", 400, "unknown_project", "project"),
        ("?project=%00", 400, "unknown_project", "project"),
        ("?format=x", 422, "unknown_format", "format"),
        ("?input_tokens=-1", 400, "bad_option", None),
        ("?wait=maybe", 400, "bad_flag", "wait"),
        ("?wiat=true", 400, "unknown_parameter", "wiat"),
        ("?project=default&project=default", 400, "repeated_parameter", "project"),
        ("?mapping=mine", 400, "unknown_parameter", "mapping"),
        (f"?key={'x' * 300}", 400, "unknown_parameter", "key"),
    ],
)
def test_a_wrong_parameter_is_refused_by_its_name(push, query, status, code, parameter):
    told = push(GOOD, query).json()
    assert (told["status"], told["code"], told.get("parameter")) == (status, code, parameter)
    assert not Import.objects.exists()


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("?model=a%00b", "model holds a NUL character"),
        (f"?model={'m' * 201}", "model is longer than 200 characters"),
    ],
)
def test_a_refusal_says_what_is_wrong_with_a_text(push, query, reason):
    assert push(GOOD, query).json()["detail"] == reason


@pytest.mark.parametrize("query", ["?wait=false", "?wait=0", "?wait=", "?name=a.jsonl"])
def test_a_parameter_may_say_the_usual(push, query):
    assert push(GOOD, query).status_code == 202


def test_a_key_without_the_scope_may_not_push(push, books):
    reader = new_key(books, ["read"], name="reader")
    answer = push(GOOD, Authorization=f"Bearer {reader}")
    assert (answer.status_code, answer.json()["code"]) == (403, "missing_scope")


def test_the_key_may_come_as_x_api_key(push, key):
    assert push(GOOD, Authorization="", X_Api_Key=key).status_code == 202


def test_other_methods_are_not_answered(client, key):
    answer = client.get(EVENTS, headers={"Authorization": f"Bearer {key}"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


def test_a_long_body_is_refused_by_its_announced_length(push, settings):
    settings.MAX_PUSH_BYTES = 50
    answer = push(GOOD)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert not Import.objects.exists()


def test_a_bomb_is_refused_by_what_it_unpacks_to(push, settings):
    settings.MAX_PUSH_BYTES = 100_000
    answer = push(gzip.compress(b" " * 10_000_000), Content_Encoding="gzip")
    assert (answer.status_code, answer.json()["code"]) == (413, "decompressed_too_large")


@pytest.mark.parametrize("body", [b"", b"\n \n", b"[]", b"{}"])
def test_an_empty_body_is_fine_and_keeps_nothing(push, body):
    answer = push(body, content_type="application/json")
    assert (answer.status_code, answer.json()["import_id"]) == (200, None)
    assert not Import.objects.exists()


def test_a_test_button_is_answered(push):
    answer = push(b'{"resourceSpans": []}', X_Test_Connection="true")
    assert (answer.status_code, answer.json()["state"]) == (200, "empty")


def test_without_the_database_the_sender_is_asked_to_come_again(push):
    with patch("accounting.services.tenants.key_of", side_effect=OperationalError("gone")):
        answer = push(GOOD)
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert not UsageEvent.objects.exists()


def test_a_body_that_is_not_of_the_format_that_was_asked_for_is_refused(push):
    answer = push(GOOD, "?format=codex")
    assert (answer.status_code, answer.json()["code"]) == (422, "not_this_format")
    assert Import.objects.get().error_code == "not_this_format"
    assert push(GOOD, "?format=native&wait=true").json()["recorded"] == 1
