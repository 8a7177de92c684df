"""Hostile inputs at every door: each has its status and its code, and costs its neighbours nothing."""

import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from accounting.api.buckets import WRONG_KEYS
from accounting.models import ApiKey, Import, Rejection
from tests.doors.cases import BODIES, ELSEWHERE, RECORDS, Counts, Refuses, Rejects, found_for
from tests.doors.doors import DOORS, Answer
from tests.ingest.conftest import counted, read_all
from tests.ingest.exports import JSON, PROTOBUF

ROOT = Path(__file__).parents[2]
KEPT = {"otlp": 200, "upload": 201, "command": 0, "anywhere": 202}


@pytest.fixture
def rig(client, books, key, ingest, log):
    return Rig(client, key, ingest, log)


class Rig:
    """Sends to any door and hears what it says."""

    def __init__(self, client, key, ingest, log):
        self.client, self.key, self.ingest, self.log = client, key, ingest, log

    def post(self, door, body, *, query="", content_type=None, **headers):
        if "command" in door.traits:
            return self._ran(body)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        more = {"HTTP_HOST": sent.pop("Host")} if "Host" in sent else {}
        if door.name == "upload":
            self.client.force_login(User.objects.get(username="owner"))
        else:
            sent.setdefault("Authorization", f"Bearer {self.key}")
        address = door.address + (query if "?" not in door.address else query.replace("?", "&"))
        kind = door.content_type if content_type is None else content_type
        answer = self.client.post(address, body, content_type=kind, headers=sent, **more)
        return _heard(door, answer)

    def _ran(self, body):
        (told, _), code = self.ingest(self.log("a.jsonl", body))
        return Answer(code, told["rejections"][0]["code"] if told["state"] == "refused" else "")


def _heard(door, answer):
    kind = answer["Content-Type"]
    if "otlp" in door.traits and answer.status_code == 200:
        assert kind == door.content_type
        return Answer(200, refused=_refused(door, answer))
    if answer.status_code < 300:
        return Answer(answer.status_code)
    if kind == PROTOBUF:
        assert answer.content.startswith(b"\x08\x03\x12")
        return Answer(answer.status_code, answer.content[4:].decode().lstrip("\x01").split(":")[0])
    told = answer.json()
    if kind == JSON:
        assert told["code"] == 3
        return Answer(answer.status_code, told["message"].partition(":")[0])
    assert (kind, told["status"]) == ("application/problem+json", answer.status_code)
    return Answer(answer.status_code, told["code"])


def _refused(door, answer):
    """How many records the exporter is told were refused."""
    if door.content_type == JSON:
        told = answer.json().get("partialSuccess", {})
        return int(told.get("rejectedSpans") or told.get("rejectedLogRecords") or 0)
    kind = ExportTraceServiceResponse if "traces" in door.name else ExportLogsServiceResponse
    told = kind.FromString(answer.content).partial_success
    return getattr(told, "rejected_spans", 0) or getattr(told, "rejected_log_records", 0)


def codes():
    """Why records, and whole bodies, were refused."""
    return list(Rejection.objects.order_by("pk").values_list("code", flat=True))


def pairs(cases):
    for door in DOORS:
        for number, case in enumerate(cases):
            if (expected := found_for(door, case.by)) is not None:
                name = f"{case.number} {case.what}, {door.name}"
                yield pytest.param(door, case, expected, id=f"{number}: {name}")


@pytest.mark.parametrize(("door", "case", "expected"), list(pairs(RECORDS)))
def test_a_record(rig, door, case, expected):
    middle = door.write(2, **case.fields_for(door))
    started = time.process_time()
    answers = [rig.post(door, body) for body in door.bodies(door.write(1), middle, door.write(3))]
    heard = answers[1] if door.is_single else answers[0]
    read_all()
    assert time.process_time() - started < 5
    kept = found_for(door, KEPT)
    match expected:
        case Counts():
            assert [each.status for each in answers] == [kept] * len(answers)
            assert (codes(), counted()) == ([], (expected.requests, expected.input_tokens))
        case Rejects():
            assert heard.status == kept
            assert heard.refused == ("otlp" in door.traits)
            assert (codes(), counted()) == ([expected.code], (2, 200))
        case Refuses():
            assert (heard.status, heard.code) == (expected.status, expected.code)
            assert counted() == ((2, 200) if door.is_single else (0, 0))


@pytest.mark.parametrize(("door", "case", "expected"), list(pairs(BODIES)))
def test_a_body(rig, settings, door, case, expected):
    neighbours = [rig.post(door, body) for body in door.bodies(door.write(7), door.write(8))]
    for name, value in case.settings.items():
        setattr(settings, name, value)
    records = [door.write(number) for number in (1, 2, 3)]
    answers = [rig.post(door, case.turn(body), **case.headers) for body in door.bodies(*records)]
    read_all()
    assert {each.code for each in neighbours} == {""}
    if isinstance(expected, Counts):
        assert {each.code for each in answers} == {""}
        assert counted() == (expected.requests + 2, expected.input_tokens + 200)
    else:
        told = {(each.status, each.code) for each in answers}
        assert told == {(expected.status, expected.code)}
        assert counted() == (2, 200)


REQUESTS = [
    (42, "a text", {"content_type": "text/plain"}, 415, "unsupported_media_type"),
    (42, "a form", {"content_type": "multipart/form-data"}, 415, "unsupported_media_type"),
    (42, "no type", {"content_type": ""}, 415, "unsupported_media_type"),
    (55, "another's project", {"query": "?project=theirs"}, 400, "unknown_project"),
    (56, "a wrong key", {"Authorization": "Bearer tb_x"}, 401, "bad_key"),
    (56, "no key", {"Authorization": ""}, 401, "unauthenticated"),
    (58, "the key in the address", {"query": "?api_key=tb_secret"}, 400, "unknown_parameter"),
]
OTHER = {"REMOTE_ADDR": "192.0.2.8"}
PUSHED = [door for door in DOORS if "command" not in door.traits]


@pytest.mark.parametrize("door", PUSHED, ids=lambda door: door.name)
@pytest.mark.parametrize(
    ("how", "status", "code"),
    [row[2:] for row in REQUESTS],
    ids=[f"{r[0]} {r[1]}" for r in REQUESTS],
)
def test_a_request(rig, door, how, status, code):
    if door.name == "upload" and "Authorization" in how:
        pytest.skip("a signed-in person needs no key")
    body = door.join([door.write(1)])
    told = rig.post(door, body, **how)
    assert (told.status, told.code) == (status, code)
    assert not Import.objects.exists()
    rig.post(door, body)
    read_all()
    assert counted() == (1, 100)


@pytest.mark.parametrize("door", PUSHED, ids=lambda door: door.name)
def test_43_a_host_that_is_none_of_ours(rig, client, door, settings):
    settings.DEBUG = False
    settings.ALLOWED_HOSTS = ["books.example"]
    for host in ("evil.example", "x/?"):
        answer = client.post(door.address, b"", content_type=door.content_type, HTTP_HOST=host)
        assert answer.status_code == 400
    assert not Import.objects.exists()


@pytest.mark.parametrize(
    "door", [d for d in PUSHED if d.name != "upload"], ids=lambda door: door.name
)
def test_56_a_key_that_is_revoked_keeps_what_it_sent(rig, door):
    body = door.join([door.write(1)])
    rig.post(door, body)
    ApiKey.objects.update(revoked_at=timezone.now())
    told = rig.post(door, door.join([door.write(2)]))
    assert (told.status, told.code) == (401, "bad_key")
    read_all()
    assert counted() == (1, 100)


@pytest.mark.parametrize(
    "door", [d for d in PUSHED if d.name != "upload"], ids=lambda door: door.name
)
def test_57_wrong_keys_are_told_to_wait_and_right_ones_are_taken(rig, client, door, settings):
    settings.WRONG_KEYS_PER_MINUTE = 2
    WRONG_KEYS._left.clear()
    body = door.join([door.write(1)])
    wrong = {"HTTP_AUTHORIZATION": "Bearer tb_x", "REMOTE_ADDR": "192.0.2.7"}
    told = [
        client.post(door.address, body, content_type=door.content_type, **wrong) for _ in range(3)
    ]
    assert [each.status_code for each in told] == [401, 401, 429]
    assert (told[2].json()["code"], told[2]["Retry-After"]) == ("too_many_requests", "30")
    assert told[2]["Content-Type"] == "application/problem+json"
    elsewhere = client.post(door.address, body, content_type=door.content_type, **wrong | OTHER)
    assert elsewhere.status_code == 401
    right = {"HTTP_AUTHORIZATION": f"Bearer {rig.key}", "REMOTE_ADDR": "192.0.2.7"}
    assert (
        client.post(door.address, body, content_type=door.content_type, **right).status_code < 300
    )
    read_all()
    assert counted() == (1, 100)


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "x" * 5_000, 'a"b\r\nc.jsonl', "C:\\a\\b.jsonl"]
)
def test_59_a_name_of_a_file_is_only_shown(rig, client, books, name):
    client.force_login(User.objects.get(username="owner"))
    upload = next(door for door in DOORS if door.name == "upload")
    query = urlencode({"name": name})
    body = upload.join([upload.write(1)])
    answer = client.post(f"/imports/upload?{query}", body, content_type="application/octet-stream")
    assert answer.status_code == 201
    shown = Import.objects.get().name
    assert len(shown) <= 255
    assert not {"/", "\\", "\r", "\n"} & set(shown)


def test_61_a_long_text_and_a_million_attributes_cost_no_neighbour(rig):
    for number, door in enumerate(each for each in DOORS if "protobuf" in each.traits):
        first = 10 * number
        long = door.write(first + 2, extra={"gen_ai__prompt": "x" * 5_000_000})
        many = door.write(first + 3, extra={f"k{n}": n for n in range(100_000)})
        body = door.join([door.write(first + 1), long, many, door.write(first + 4)])
        assert rig.post(door, body) == Answer(200)
    read_all()
    assert counted() == (8, 800)


def test_every_number_of_the_list_is_tested_or_said_to_be_tested_elsewhere():
    here = (
        {case.number for case in (*RECORDS, *BODIES)} | {row[0] for row in REQUESTS} | {43, 57, 59}
    )
    assert here | ELSEWHERE.keys() == set(range(1, 62))
    assert not here & ELSEWHERE.keys()


@pytest.mark.parametrize("number", [n for n, (_, held_by) in ELSEWHERE.items() if held_by])
def test_what_is_said_to_be_tested_elsewhere_is(number):
    for file, name in ELSEWHERE[number][1]:
        assert f"def {name}(" in (ROOT / file).read_text()
