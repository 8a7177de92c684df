"""OpenTelemetry: spans and logs that are a request by their own operation, in JSON and protobuf."""

from decimal import Decimal

import pytest

from ingest.formats.base import Counted, UnreadableError
from ingest.formats.cutting import Layout
from tests.formats.gateway_rows import the, warned
from tests.formats.reading import (
    Books,
    detected,
    read_sample,
    refused,
    sample,
    skipped,
    told,
    totals,
)

JSONL, PROTOBUF = "otlp_traces/traces.jsonl", "otlp_traces/traces.pb"
SPANS = "openinference/spans.jsonl"


def test_totals_are_right():
    outcomes = read_sample(JSONL)
    books = Books.of(outcomes)
    assert totals(books) == (7, 1532, 962, 75, 135, 28)
    assert books.errors == 1
    assert refused(outcomes) == [(4, "bad_count")]


def test_agents_tools_chains_and_wrappers_are_no_requests():
    assert skipped(read_sample(JSONL)) == [1, 1, 1, 2, 2, 2, 3]


def test_protobuf_tells_the_same_as_json():
    lines = sample(JSONL).splitlines(keepends=True)
    json = Books.of(told("otlp_traces", lines[0] + lines[2]))
    protobuf = Books.of(read_sample(PROTOBUF))
    assert protobuf == json
    assert totals(protobuf) == (6, 1502, 962, 75, 132, 28)
    assert Books.of(read_sample("otlp_logs/logs.pb")) == Books.of(
        read_sample("otlp_logs/logs.json")
    )


def test_a_span_tells_everything():
    found = the(JSONL, "chatcmpl-traced")
    use = found.use
    assert (use.request_model, use.response_model) == ("gpt-5.2", "gpt-5.2-2025-12-11")
    assert (use.duration_ms, use.ttft_ms, use.max_output_tokens) == (2500.0, 640.0, 2048)
    assert (use.finish_reason, use.service_tier) == ("stop", "priority")
    assert (found.place.session_id, found.place.agent) == ("conv-1", "helper")
    assert found.place.environment == "prod"
    assert found.identity.trace_id == "0af7651916cd43dd8448eb211c80319c"


def test_anthropics_numbers_passed_on_are_made_inclusive():
    counts = the(JSONL, "msg_traced").use.counts
    assert (counts.input_tokens, counts.cache_read_input_tokens) == (380, 300)
    assert warned(read_sample(JSONL)) == [(1, "disjoint_input"), (2, "disjoint_input")]


def test_older_names_are_read():
    assert the(JSONL, "b7ad6b7169203304").use.counts.output_tokens == 8
    sdk = the(JSONL, "chatcmpl-sdk").use
    assert (sdk.provider, sdk.ttft_ms, sdk.counts.input_tokens) == ("openai", 210.5, 70)


def test_snake_case_capitals_and_names_of_codes_are_read():
    use = the(JSONL, "b7ad6b716920330d").use
    assert (use.provider, use.operation, use.status) == ("google", "generate_content", "ok")


def test_a_failed_call_is_an_error_without_usage():
    use = the(JSONL, "b7ad6b7169203305").use
    assert (use.status, use.error_type, use.usage_state) == ("error", "429", "missing")
    assert use.provider == "azure"


def test_embeddings_make_no_output():
    assert the(JSONL, "b7ad6b7169203309").use.counts.output_tokens == 0


def test_openinference_names_who_and_what_it_cost():
    found = the(JSONL, "b7ad6b716920330b")
    assert found.use.reported_cost == Decimal("0.000525")
    assert found.use.max_output_tokens == 300
    assert (found.place.session_id, found.place.user_id, found.place.team) == ("s-1", "mia", "Shop")
    assert found.place.tags == (("feature", "search"), ("nightly", ""), ("team", "Shop"))


def test_a_requests_log_record_meets_its_span():
    books = Books.of([*read_sample("otlp_logs/logs.json"), *read_sample(JSONL)])
    assert books.one("chatcmpl-traced").use.counts.cache_read_input_tokens == 512
    assert books.requests == 8


def test_logs_tell_requests_that_no_span_tells():
    outcomes = read_sample("otlp_logs/logs.json")
    assert totals(Books.of(outcomes)) == (2, 890, 40, 0, 67, None)
    assert skipped(outcomes) == [1]


def test_spans_outside_otlp_are_read():
    outcomes = read_sample(SPANS)
    books = Books.of(outcomes)
    assert totals(books) == (4, 263, 40, 0, 110, None)
    assert (books.errors, skipped(outcomes)) == (1, [3, 4])
    found = the(SPANS, "b7ad6b7169203302")
    assert (found.use.duration_ms, found.use.reported_cost) == (2000.0, Decimal("0.00021"))
    assert (found.place.environment, found.place.team) == ("test", "Shop")
    assert the(SPANS, "chatcmpl-map").use.max_output_tokens == 200


def test_attributes_alone_carry_no_time():
    first = read_sample(SPANS)[0]
    assert isinstance(first, Counted)
    assert first.records[0].place.time_quality == "assumed"
    assert first.records[0].use.max_output_tokens == 200


def test_torn_protobuf_is_rejected():
    outcomes = told("otlp_traces", sample(PROTOBUF)[:900], layout=Layout.DOCUMENT)
    assert refused(outcomes) == [(1, "not_protobuf")]


def test_protobuf_is_told_by_its_first_bytes():
    found = detected(sample(PROTOBUF)[:400])
    assert (found.format.name, found.layout) == ("otlp_traces", Layout.DOCUMENT)
    assert found.confidence < 1
    with pytest.raises(UnreadableError):
        detected(b"\x0a\x02\x0a\x00\x00\x00")
