"""Exports of OpenTelemetry: kept, answered in OTLP's own words, and counted."""

import gzip
import json
from unittest.mock import patch

import pytest
from django.db import OperationalError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from accounting.models import ApiKey, Import, Project, UsageEvent
from ingest.services import room
from tests.ingest.conftest import counted, new_key, only_import, read_all
from tests.ingest.exports import (
    JSON,
    PROTOBUF,
    START_NS,
    attributes,
    log,
    logs,
    metrics,
    span,
    traces,
    written,
)

BOTH = pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
SIGNALS = pytest.mark.parametrize("signal", ["traces", "logs"])


@pytest.fixture
def export(client, key):
    """Send an export, a message or bytes, to a signal's door."""

    def exported(told, *, signal="traces", content_type=PROTOBUF, query="", **headers):
        body = told if isinstance(told, bytes) else written(told, content_type)
        sent = {"Authorization": f"Bearer {key}"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        address = f"/otlp/v1/{signal}{query}"
        return client.post(address, body, content_type=content_type, headers=sent)

    return exported


def two(signal):
    return traces(span(1), span(2)) if signal == "traces" else logs(log(1), log(2))


@BOTH
@SIGNALS
def test_an_export_is_kept_before_it_is_answered_and_then_counted(export, signal, content_type):
    answer = export(two(signal), signal=signal, content_type=content_type)
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    assert answer.content == (b"{}" if content_type == JSON else b"")
    source = only_import()
    assert (source.state, source.door, source.format) == ("ready", "push", f"otlp_{signal}")
    assert source.name == f"otlp/v1/{signal}"
    assert not UsageEvent.objects.exists()
    read_all()
    source.refresh_from_db()
    assert (source.state, source.lines, source.recorded) == ("done", 2, 2)
    assert counted() == (2, 200)


@BOTH
def test_packed_exports_are_read_and_an_export_that_is_sent_again_counts_once(export, content_type):
    packed = gzip.compress(written(two("traces"), content_type))
    for _ in range(2):
        sent = export(packed, content_type=content_type, Content_Encoding="gzip")
        assert sent.status_code == 200
    read_all()
    assert counted() == (2, 200)


def test_the_same_requests_as_spans_and_as_log_records_count_once(export):
    export(two("traces"), content_type=JSON)
    export(two("logs"), signal="logs")
    read_all()
    assert counted() == (2, 200)


@BOTH
def test_what_will_be_refused_is_told_at_once_and_its_neighbours_count(export, content_type):
    bad = span(2, gen_ai__usage__input_tokens=-5)
    late = span(3)
    late.start_time_unix_nano = late.end_time_unix_nano = START_NS + 10**18 * 2
    answer = export(traces(span(1), bad, late, span(4)), content_type=content_type)
    assert answer.status_code == 200
    if content_type == JSON:
        told = answer.json()["partialSuccess"]
        assert told["rejectedSpans"] == "2"
        message = told["errorMessage"]
    else:
        partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
        assert partial.rejected_spans == 2
        message = partial.error_message
    assert message == (
        "bad_count: gen_ai.usage.input_tokens = -5, expected a whole number from 0 to 999999999999"
    )
    read_all()
    source = only_import()
    assert (source.lines, source.recorded, source.rejected) == (4, 2, 2)
    codes = source.rejections.values_list("code", flat=True)
    assert sorted(codes) == ["bad_count", "in_future"]
    assert counted() == (2, 200)


def test_rejected_log_records_are_told_too(export):
    answer = export(logs(log(1), log(2, gen_ai__usage__output_tokens=1.5)), signal="logs")
    partial = ExportLogsServiceResponse.FromString(answer.content).partial_success
    assert partial.rejected_log_records == 1


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (PROTOBUF, b""),
        (PROTOBUF, traces().SerializeToString()),
        (JSON, b"{}"),
        (JSON, b'{"resourceSpans": []}'),
        (JSON, b'{"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}'),
    ],
)
def test_an_empty_export_is_fine_and_keeps_nothing(export, content_type, body):
    answer = export(body, content_type=content_type)
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    assert answer.content == (b"{}" if content_type == JSON else b"")
    assert not Import.objects.exists()


@BOTH
def test_an_export_that_tells_of_no_usage_keeps_nothing(export, content_type):
    other = span(1, gen_ai__operation__name="execute_tool")
    assert export(traces(other), content_type=content_type).status_code == 200
    assert export(logs(log(1)), signal="logs").status_code == 200
    assert only_import().format == "otlp_logs"


@pytest.mark.parametrize(
    ("content_type", "body", "code"),
    [
        (PROTOBUF, b"hello", "not_protobuf"),
        (PROTOBUF, b"\xff" * 50, "not_protobuf"),
        (PROTOBUF, traces(span(1)).SerializeToString()[:-3], "not_protobuf"),
        (PROTOBUF, written(traces(span(1)), JSON), "not_protobuf"),
        (PROTOBUF, logs(log(1)).SerializeToString(), "not_this_format"),
        (JSON, b"hello", "not_json"),
        (JSON, b"[]x", "not_json"),
        (JSON, b"[1, 2]", "not_an_object"),
        (JSON, traces(span(1)).SerializeToString(), "invalid_utf8"),
        (JSON, b'{"resourceSpans": 7}', "bad_type"),
        (JSON, b'{"records": [1]}', "not_this_format"),
        (JSON, written(logs(log(1)), JSON), "not_this_format"),
        (JSON, b"[" * 20_000, "too_deep"),
        (JSON, "{}".encode("utf-16"), "invalid_utf8"),
    ],
)
def test_a_body_that_is_no_export_is_a_400_with_a_status_message(export, content_type, body, code):
    answer = export(body, content_type=content_type)
    assert (answer.status_code, answer["Content-Type"]) == (400, content_type)
    if content_type == JSON:
        told = answer.json()
        assert (told["code"], told["message"].partition(":")[0]) == (3, code)
    else:
        assert answer.content[:3] == b"\x08\x03\x12"
        assert answer.content[3] == len(answer.content) - 4
        assert answer.content[4:].startswith(code.encode() + b": ")
    source = Import.objects.get()
    assert (source.state, source.error_code, source.chunks.count()) == ("failed", code, 0)


def test_a_long_reason_is_still_a_message(export):
    body = b'{"resourceSpans": [{"resource": {"attributes": [{"key": "' + b"k" * 300
    assert len(export(body, content_type=JSON).json()["message"]) <= 400


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (gzip.compress(b"x" * 100, mtime=0)[:-9], "truncated_gzip"),
        (b"x" * 100, "not_gzip"),
        (gzip.compress(gzip.compress(b"x", mtime=0), mtime=0), "nested_compression"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_a_400_too(export, body, code):
    answer = export(body, Content_Encoding="gzip")
    assert (answer.status_code, answer["Content-Type"]) == (400, PROTOBUF)
    assert code.encode() in answer.content


def test_long_bodies_and_bombs_are_refused(export, settings):
    settings.MAX_PUSH_BYTES = 100
    answer = export(two("traces"))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    settings.MAX_PUSH_BYTES = 100_000
    answer = export(gzip.compress(b"\0" * 10_000_000), Content_Encoding="gzip")
    assert (answer.status_code, answer.json()["code"]) == (413, "decompressed_too_large")


@pytest.mark.parametrize(
    ("content_type", "headers", "status", "code"),
    [
        ("text/plain", {}, 415, "unsupported_media_type"),
        (PROTOBUF, {"Content_Encoding": "br"}, 415, "unsupported_encoding"),
        (PROTOBUF, {"Authorization": ""}, 401, "unauthenticated"),
        (PROTOBUF, {"Authorization": "Bearer tb_wrong"}, 401, "bad_key"),
    ],
)
@pytest.mark.parametrize("signal", ["traces", "logs", "metrics"])
def test_a_wrong_request_is_a_problem(export, signal, content_type, headers, status, code):
    answer = export(b"x", signal=signal, content_type=content_type, **headers)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("signal", ["traces", "logs", "metrics"])
def test_a_key_needs_the_scope_and_may_come_as_x_api_key(export, books, key, signal):
    reader = new_key(books, ["read"], name="reader")
    answer = export(b"", signal=signal, Authorization=f"Bearer {reader}")
    assert (answer.status_code, answer.json()["code"]) == (403, "missing_scope")
    assert export(b"", signal=signal, Authorization="", X_Api_Key=key).status_code == 200


@pytest.mark.parametrize("signal", ["traces", "logs", "metrics"])
def test_only_post_is_answered(client, signal, db):
    answer = client.get(f"/otlp/v1/{signal}")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")


def test_an_error_of_ours_asks_the_exporter_to_come_again(export, caplog):
    with patch("ingest.api.otlp.receive_push", side_effect=RuntimeError("a secret prompt")):
        answer = export(two("traces"))
    assert (answer.status_code, answer.json()["code"]) == (503, "not_kept")
    assert int(answer["Retry-After"]) > 0
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text + answer.content.decode()


def test_without_the_database_the_exporter_is_asked_to_come_again(export):
    with patch("accounting.services.tenants.key_of", side_effect=OperationalError("gone")):
        answer = export(two("traces"))
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer["Retry-After"]


def test_a_full_disk_and_a_full_inbox_ask_the_exporter_to_come_again(export, settings, monkeypatch):
    monkeypatch.setattr(room, "MAX_WAITING_CHUNKS", 4)
    statuses = [export(two("traces")).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    answer = export(two("traces"))
    assert (answer.json()["code"], int(answer["Retry-After"]) > 0) == ("inbox_full", True)
    settings.EMBEDDED = True
    monkeypatch.setattr(room, "free_bytes", lambda _: 10_000)
    assert export(two("traces")).status_code == 503


def exported_json(*groups):
    """An export of traces whose resources have these attributes, with spans of these response ids."""
    return b'{"resourceSpans":[' + b",".join(map(_group, groups)) + b"]}"


def _group(group):
    service, *ids = group
    resource = b'{"attributes":[{"key":"service.name","value":{"stringValue":"%s"}}]}' % service
    spans = b",".join(_span(number).replace(b"r-ID", told) for number, told in ids)
    return b'{"resource":%s,"scopeSpans":[{"spans":[%s]}]}' % (resource, spans)


def _span(number):
    told = json.loads(written(traces(span(number, gen_ai__response__id="r-ID")), JSON))
    return json.dumps(told["resourceSpans"][0]["scopeSpans"][0]["spans"][0]).encode()


def refused_spans(answer):
    return answer.status_code, answer.json().get("partialSuccess", {}).get("rejectedSpans")


def test_half_a_character_costs_its_own_span_alone(export):
    body = exported_json(
        (b"shop", (1, b"good"), (2, rb"half \ud83d"), (3, rb"whole \ud83d\ude00")),
        (b"desk", (4, rb"no escape \\ud83d"), (5, rb"two halves \ude00\ud83d")),
    )
    answer = export(body, content_type=JSON)
    assert refused_spans(answer) == (200, "2")
    assert answer.json()["partialSuccess"]["errorMessage"].startswith("invalid_unicode: ")
    read_all()
    found = set(UsageEvent.objects.values_list("response_id", flat=True))
    assert found == {"good", "whole \N{GRINNING FACE}", "no escape \\ud83d"}


def test_half_a_character_of_a_resource_costs_its_own_spans_alone(export):
    body = exported_json((rb"\udc00", (1, b"a"), (2, b"b")), (b"desk", (3, b"c")))
    assert refused_spans(export(body, content_type=JSON)) == (200, "2")
    read_all()
    assert counted() == (1, 100)


@pytest.mark.parametrize("name", ["resourceSpans", "scopeSpans", "spans"])
def test_an_export_that_names_its_records_twice_is_refused(export, name):
    body = exported_json((b"caf\xe9", (1, b"a")), (b"desk", (2, b"b")))
    opening = b'"%s":[' % name.encode()
    answer = export(body.replace(opening, b'"%s":[],' % name.encode() + opening), content_type=JSON)
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        f"duplicate_key: the key {name} stands twice in one object",
    )
    assert counted() == (0, 0)
    # As a value the name is only a word, and Latin-1 costs its own resource alone.
    body = exported_json((b"caf\xe9", (1, b"a")), (name.encode(), (2, b"b")))
    assert refused_spans(export(body, content_type=JSON)) == (200, "1")


def test_project_and_defaults_may_stand_in_the_address(export, books):
    alpha = Project.objects.create(organization=books, slug="alpha", name="Alpha")
    export(traces(span(1, gen_ai__provider__name=None)), query="?project=alpha&provider=azure")
    read_all()
    found = UsageEvent.objects.get()
    assert (found.project_id, found.provider) == (alpha.pk, "azure")
    assert found.api_key_id == ApiKey.objects.get().pk
    assert export(two("traces"), query="?wait=true").json()["code"] == "unknown_parameter"


def test_claude_code_s_own_events_are_read_from_either_encoding(export):
    told = attributes(
        event__name="api_request",
        model="claude-sonnet-4-5",
        request_id="req_1",
        input_tokens=100,
        output_tokens=10,
        cache_read_tokens=30,
    )
    record = log(1)
    record.ClearField("attributes")
    record.event_name, record.body.string_value = "", "claude_code.api_request"
    record.attributes.extend(told)
    sent = logs(record, log(2), scope="com.anthropic.claude_code.events")
    for content_type in (PROTOBUF, JSON):
        assert export(sent, signal="logs", content_type=content_type).status_code == 200
    read_all()
    assert counted() == (2, 230)
    found = UsageEvent.objects.get(gateway_request_id="req_1")
    assert (found.source, found.cache_read_input_tokens) == ("claude_code_otel", 30)


@BOTH
def test_metrics_are_refused_in_the_way_that_stops_no_exporter(export, content_type):
    answer = export(metrics(3), signal="metrics", content_type=content_type)
    assert (answer.status_code, answer["Content-Type"]) == (200, content_type)
    if content_type == JSON:
        assert answer.json()["partialSuccess"]["rejectedDataPoints"] == "3"
    else:
        partial = ExportMetricsServiceResponse.FromString(answer.content).partial_success
        assert partial.rejected_data_points == 3
        assert "traces or logs" in partial.error_message
    assert not Import.objects.exists()
    assert export(b"hello", signal="metrics", content_type=content_type).status_code == 400


@pytest.mark.parametrize(
    ("content_type", "body", "code"),
    [
        (PROTOBUF, b"hello", "not_protobuf"),
        (JSON, b"hello", "not_json"),
        (JSON, b'{"resourceMetrics": [', "not_json"),
        (JSON, b'{"resourceMetrics": 5}', "not_this_format"),
        (JSON, b"[1]", "not_this_format"),
    ],
)
def test_what_is_no_export_of_metrics_is_told_in_the_words_of_its_encoding(
    export, content_type, body, code
):
    answer = export(body, signal="metrics", content_type=content_type)
    assert answer.status_code == 400
    assert code in answer.content.decode()
