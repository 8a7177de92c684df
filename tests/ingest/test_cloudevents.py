"""CloudEvents at the door: one, a batch, or one whose headers name it."""

import json
from base64 import b64encode

import pytest

from accounting.models import Import, Rejection, UsageEvent
from tests.ingest.conftest import counted, event, ndjson, only_import, read_all

ONE, BATCH = "application/cloudevents+json", "application/cloudevents-batch+json"
HEADERS = {
    "Ce_Specversion": "1.0",
    "Ce_Id": "e-1",
    "Ce_Source": "/shop",
    "Ce_Type": "llm.call",
}


def without(name):
    return {each: value for each, value in HEADERS.items() if each != name}


def cloud(number, data=None, **more):
    """One event; its data is a native event without an id."""
    told = {"specversion": "1.0", "id": f"e-{number}", "source": "/shop", "type": "llm.call"}
    return {**told, "data": event(number, id=None) if data is None else data, **more}


def sent(push, told, content_type, query="?wait=true", **headers):
    return push(json.dumps(told).encode(), query, content_type=content_type, **headers)


@pytest.mark.parametrize("content_type", [ONE, ONE + "; charset=UTF-8", BATCH])
@pytest.mark.parametrize("indent", [None, 2])
def test_an_event_is_kept_and_its_data_counted(push, content_type, indent):
    body = json.dumps([cloud(1)] if content_type == BATCH else cloud(1), indent=indent).encode()
    answer = push(body, content_type=content_type)
    source = only_import()
    assert (answer.status_code, answer.json()["import_id"]) == (202, source.pk)
    assert (source.format, source.state) == ("cloudevents", "ready")
    read_all()
    assert counted() == (1, 100)


def test_a_batch_may_hold_data_of_several_formats(push):
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1772445600,
        "model": "gpt-4o",
        "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }
    told = sent(push, [cloud(1), cloud(2, answer), cloud(3, {"colour": "red"})], BATCH).json()
    assert (told["lines"], told["recorded"], told["rejected"]) == (3, 2, 1)
    assert [(one["line"], one["code"]) for one in told["rejections"]] == [(3, "unknown_body")]
    assert counted() == (2, 107)


def test_an_event_that_is_delivered_again_counts_once(push):
    for told in (cloud(1), cloud(1), cloud(2)):
        assert sent(push, told, ONE).status_code == 200
    assert counted() == (2, 200)


def test_the_headers_may_name_the_event(push):
    body = ndjson(event(1, id=None)).strip()
    for _ in range(2):
        told = push(body, "?wait=true", content_type="application/json", **HEADERS).json()
    assert (told["format"], told["duplicates"]) == ("cloudevents", 1)
    other = push(body, "?wait=true", content_type="application/json", **HEADERS | {"Ce_Id": "e-2"})
    assert other.json()["recorded"] == 1
    # A structured event of the same name is the same one.
    assert sent(push, cloud(1), ONE).json()["duplicates"] == 1
    assert counted() == (2, 200)


def test_a_header_s_percent_signs_are_read(push):
    body = ndjson(event(1, id=None)).strip()
    push(body, content_type="application/json", **HEADERS | {"Ce_Source": "/caf%C3%A9"})
    sent(push, cloud(1, source="/café"), ONE)
    read_all()
    assert counted() == (1, 100)


def test_a_body_cannot_name_its_event_anew(push):
    body = b'{"colour": 1}, "id": "e-9", "data": ' + ndjson(event(1)).strip()
    answer = push(body, content_type="application/json", **HEADERS)
    assert (answer.status_code, answer.json()["code"]) == (400, "not_json")
    assert not UsageEvent.objects.exists()


@pytest.mark.parametrize(
    ("content_type", "body", "headers"),
    [
        (BATCH, b"[]", {}),
        (BATCH, b" [ ] ", {}),
        (BATCH, b"[null, {}]", {}),
        (ONE, b"{}", {}),
        (ONE, json.dumps(cloud(1, {})).encode().replace(b'"data": {}', b'"x": 1'), {}),
        (ONE, json.dumps(cloud(1, [])).encode(), {}),
        (BATCH, json.dumps([cloud(1, []), cloud(2, [])]).encode(), {}),
        ("application/json", b" ", HEADERS),
        ("application/json", b"null", HEADERS),
    ],
)
def test_a_test_payload_is_answered_and_nothing_is_kept(push, content_type, body, headers):
    answer = push(body, content_type=content_type, **headers)
    assert (answer.status_code, answer.json()["state"]) == (200, "empty")
    assert "nothing was kept" in answer.json()["reason"]
    assert not Import.objects.exists()


@pytest.mark.parametrize(
    ("content_type", "body", "headers", "status", "code"),
    [
        (ONE, b"hello", {}, 422, "unknown_format"),
        (ONE, ndjson(event(1)), {}, 422, "not_this_format"),
        (BATCH, b'[{"colour": "red"}]', {}, 422, "not_this_format"),
        ("application/cloudevents+avro", b"x", {}, 415, "unsupported_media_type"),
        ("application/x-ndjson", b"{}", HEADERS, 415, "unsupported_media_type"),
        ("application/json", b"{}", {"Ce_Id": "e-1"}, 400, "bad_request"),
        ("application/json", b"{}", HEADERS | {"Ce_Id": ""}, 400, "bad_request"),
        *(
            ("application/json", ndjson(event(1)), without(name), 400, "bad_request")
            for name in HEADERS
        ),
        ("application/json", b"{", HEADERS, 400, "not_json"),
        ("application/json", b'{"a": NaN}', HEADERS, 400, "not_a_number"),
        ("application/json", b"[" * 20_000, HEADERS, 400, "too_deep"),
    ],
)
def test_what_is_no_event_is_refused(push, content_type, body, headers, status, code):
    answer = push(body, content_type=content_type, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not UsageEvent.objects.exists()


@pytest.mark.parametrize(
    ("more", "code", "field"),
    [
        *(
            ({name: value}, code, field)
            for name in ("specversion", "id", "source", "type")
            for value, code, field in ((None, "bad_type", name), (7, "bad_type", name))
        ),
        *(({name: ""}, "missing_field", name) for name in ("id", "source", "type")),
        ({"specversion": ""}, "unknown_value", "specversion"),
        ({"specversion": "0.3"}, "unknown_value", "specversion"),
        ({"data_base64": "e30="}, "contradiction", "data_base64"),
    ],
)
def test_an_event_must_be_named_as_events_are(push, more, code, field):
    told = sent(push, [cloud(1), cloud(2, **more), cloud(3)], BATCH).json()
    assert (told["recorded"], told["rejected"]) == (2, 1)
    rejection = Rejection.objects.get()
    assert (rejection.line, rejection.code, rejection.field) == (2, code, field)
    assert counted() == (2, 200)


def test_data_that_are_null_are_none_beside_data_in_base64(push):
    packed = b64encode(json.dumps(event(1, id=None)).encode()).decode()
    told = sent(push, cloud(1) | {"data": None, "data_base64": packed}, ONE).json()
    assert (told["recorded"], counted()) == (1, (1, 100))


@pytest.mark.parametrize("name", ["specversion", "id", "source", "type"])
def test_an_event_that_lacks_a_name_costs_no_neighbour(push, name):
    bad = {each: value for each, value in cloud(2).items() if each != name}
    told = sent(push, [cloud(1), bad, cloud(3)], BATCH).json()
    assert [(one["line"], one["code"]) for one in told["rejections"]] == [(2, "missing_field")]
    assert counted() == (2, 200)


def test_the_format_of_data_cannot_be_asked_for(push):
    told = sent(push, cloud(1), ONE, "?format=native").json()
    assert (told["code"], told["parameter"]) == ("bad_option", "format")
    assert sent(push, cloud(1), ONE, "?format=cloudevents&wait=true").json()["recorded"] == 1


def test_an_idempotency_key_serves_events_too(push):
    first = sent(push, cloud(1), ONE, "", Idempotency_Key="k")
    assert sent(push, cloud(1), ONE, "", Idempotency_Key="k").json() == first.json()
    answer = sent(push, cloud(2), ONE, "", Idempotency_Key="k")
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_reused")


def test_an_idempotency_key_knows_events_by_their_headers_too(push):
    body = ndjson(event(1, id=None)).strip()
    named = HEADERS | {"Idempotency_Key": "k"}
    assert push(body, content_type="application/json", **named).status_code == 202
    other = push(body, content_type="application/json", **named | {"Ce_Id": "e-2"})
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
