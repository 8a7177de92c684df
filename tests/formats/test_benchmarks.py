"""Benchmark files: each run keeps its settings, each request its times."""

import json
from datetime import timedelta

import pytest

from ingest.formats.base import Aggregated, Counted, Options
from tests.formats.aggregates import summed
from tests.formats.reading import (
    MIDNIGHT,
    Books,
    detected,
    read_sample,
    refused,
    sample,
    told,
    totals,
)


@pytest.mark.parametrize(
    ("name", "expected", "errors"),
    [
        ("vllm_bench/runs.jsonl", (3, 364, None, None, 9, None), 1),
        ("sglang_bench/runs.jsonl", (1, 512, None, None, 4, None), 1),
        ("guidellm/benchmarks.json", (3, 604, 128, None, 56, None), 1),
        ("aiperf/profile_export.jsonl", (2, 610, None, None, 120, 25), 2),
        ("genai_perf/profile_export.json", (1, 30, 16, 0, 4, None), 1),
        ("llmperf/individual_responses.json", (1, 800, None, None, 112, None), 3),
        ("llama_bench/tests.jsonl", (4, 512, None, None, 128, None), 0),
    ],
)
def test_totals_are_right(name, expected, errors):
    books = Books.of(read_sample(name))
    assert totals(books) == expected
    assert books.errors == errors


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "vllm_bench/runs.jsonl",
            [(3, "not_json"), (4, "not_a_number"), (6, "inconsistent_lengths")],
        ),
        ("llmperf/individual_responses.json", [(3, "not_an_object")]),
        ("llama_bench/tests.jsonl", [(3, "bad_count")]),
    ],
)
def test_bad_records_cost_no_neighbour(name, expected):
    assert refused(read_sample(name)) == expected


def of_line(name, line):
    return next(outcome for outcome in read_sample(name) if outcome.line == line)


def test_a_run_of_vllm_keeps_label_and_settings():
    run = of_line("vllm_bench/runs.jsonl", 1).run
    assert run.label == "night · rate 4.0 · 2026-04-07 08:15:00"
    assert run.model == "Qwen/Qwen3-8B"
    settings = dict(run.settings)
    assert (settings["request_rate"], settings["burstiness"]) == ("4.0", "1.0")
    assert settings["gpu"] == "L40S"
    assert "mean_ttft_ms" not in settings
    assert "label" not in settings


def test_the_times_of_a_request_are_its_own():
    first, second, failed = of_line("vllm_bench/runs.jsonl", 1).records
    assert (first.use.ttft_ms, first.use.tpot_ms, first.use.duration_ms) == (40.0, 10.0, 80.0)
    assert (second.use.ttft_ms, second.use.tpot_ms, second.use.duration_ms) == (50.0, 15.0, 80.0)
    assert second.place.started_at - first.place.started_at == timedelta(seconds=0.25)
    assert (failed.use.status, failed.use.error_type) == ("error", "ClientPayloadError")
    assert failed.use.ttft_ms is None
    assert first.place.time_quality == "assumed"
    assert first.use.purpose == "benchmark"


def test_one_token_has_no_time_per_token():
    (only,) = of_line("vllm_bench/runs.jsonl", 2).records
    assert (only.use.ttft_ms, only.use.tpot_ms, only.use.duration_ms) == (31.0, None, 31.0)


def test_a_run_without_arrays_is_an_aggregate():
    summary = of_line("vllm_bench/runs.jsonl", 5)
    assert isinstance(summary, Aggregated)
    assert summed(summary.aggregates) == (2, 200, None, None, 20)
    assert summary.aggregates[0].purpose == "benchmark"
    assert ("mean_ttft_ms", "50.0") in summary.aggregates[0].notes
    assert summary.run.label == "night · rate 8.0 · 2026-04-07 08:25:00"


def test_a_third_run_appended_adds_only_its_requests():
    lines = sample("vllm_bench/runs.jsonl").splitlines(keepends=True)
    third = lines[0].replace(b"20260407-081500", b"20260407-090000")
    before = Books.of(whole("vllm_bench", b"".join(lines[:2])))
    after = Books.of(whole("vllm_bench", b"".join([*lines[:2], third])))
    assert before.events.keys() < after.events.keys()
    assert len(after.events) - len(before.events) == 3


def whole(name, body):
    return told(name, body, layout=detected(body).layout)


def test_spacing_and_indents_are_not_part_of_a_run():
    line = sample("vllm_bench/runs.jsonl").splitlines()[0]
    indented = json.dumps(json.loads(line), indent=4).encode()
    assert Books.of(whole("vllm_bench", indented)) == Books.of(whole("vllm_bench", line))


def test_a_run_longer_than_the_sample_is_told_by_its_first_names():
    run = json.loads(sample("vllm_bench/runs.jsonl").splitlines()[0])
    run["generated_texts"] = ["x" * 3_000_000] * 3
    found = detected(json.dumps(run).encode())
    assert found.format.name == "vllm_bench"
    assert len(Books.of(whole("vllm_bench", json.dumps(run).encode())).events) == 3


def test_the_same_run_of_sglang_appended_twice_is_one_run():
    first, again, _ = read_sample("sglang_bench/runs.jsonl")
    assert Books.of([first, again]) == Books.of([first])
    assert first.run.label == again.run.label
    assert first.records[0].restamps


def test_guidellm_estimates_output_by_iterations():
    estimated = of_line("guidellm/benchmarks.json", 2).records[0].use
    assert (estimated.counts.output_tokens, estimated.usage_state) == (7, "estimated")
    assert (estimated.ttft_ms, estimated.tpot_ms, estimated.duration_ms) == (90.0, 28.0, 1500.0)


def test_guidellm_tells_how_a_request_ended():
    statuses = [
        outcome.records[0].use.status
        for outcome in read_sample("guidellm/benchmarks.json")
        if isinstance(outcome, Counted)
    ]
    assert statuses == ["ok", "ok", "error", "cancelled"]
    failed = of_line("guidellm/benchmarks.json", 3).records[0]
    assert failed.identity.gateway_request_id == "g-2"
    assert failed.use.error_type == "HTTP 503"


def test_guidellm_without_its_requests_is_an_aggregate():
    summary = of_line("guidellm/benchmarks.json", 5)
    assert summed(summary.aggregates) == (6, 1200, None, None, 312)
    assert dict(summary.run.settings)["rate"] == "8.0"


def test_aiperf_tags_the_phase_and_keeps_units():
    warm, hot, failed, stopped = (o.records[0] for o in read_sample("aiperf/profile_export.jsonl"))
    assert warm.place.tags == (("phase", "warmup"),)
    assert (warm.use.ttft_ms, warm.use.tpot_ms, warm.use.duration_ms) == (40.5, 15.5, 800.0)
    assert (hot.place.session_id, hot.place.turn_id) == ("talk-0", "1")
    assert (failed.use.http_status, failed.use.error_origin) == (503, "upstream")
    assert (stopped.use.status, stopped.use.error_origin) == ("error", "client")
    assert stopped.use.counts.input_tokens is None


def test_genai_perf_reads_usage_and_model_from_bodies():
    answered, failed = (o.records[0] for o in read_sample("genai_perf/profile_export.json"))
    assert (answered.use.request_model, answered.use.max_output_tokens) == ("qwen3-8b", 64)
    assert (answered.use.ttft_ms, answered.use.duration_ms) == (50.0, 110.0)
    assert answered.use.tpot_ms == 20.0
    assert answered.identity.response_id == "gp-1"
    assert (failed.use.status, failed.use.error_type) == ("error", "overloaded")


def test_llmperf_drops_what_failed_requests_pretend():
    refusal, short = (of_line("llmperf/individual_responses.json", n).records[0] for n in (2, 4))
    assert (refusal.use.http_status, refusal.use.ttft_ms) == (429, None)
    assert refusal.use.counts.input_tokens is None
    assert (short.use.status, short.use.counts.output_tokens) == ("error", 11)
    assert short.use.usage_state == "estimated"
    assert short.place.started_at == MIDNIGHT


def test_each_repetition_of_llama_bench_is_a_request():
    pp, tg = (of_line("llama_bench/tests.jsonl", n) for n in (1, 2))
    assert [record.use.prefill_ms for record in pp.records] == [40.0, 42.0]
    assert [record.use.tpot_ms for record in tg.records] == [10.0, 10.15625]
    assert tg.run.label.endswith("tg64 · depth 2048 · 2026-04-07T08:00:05Z")
    assert dict(tg.run.settings)["n_threads"] == "8"


def test_llama_bench_as_csv_leaves_the_repetitions_unknown():
    (summary,) = read_sample("llama_bench/tests.csv")
    assert summed(summary.aggregates) == (None, None, None, None, None)
    assert ("avg_ns", "41000000") in summary.aggregates[0].notes


def test_a_provider_named_for_the_import_is_that_of_a_summary_too():
    options = Options(assumed_time=MIDNIGHT, provider="local")
    for name in ("llama_bench/tests.csv", "vllm_bench/runs.jsonl"):
        told_of = [o for o in read_sample(name, options=options) if isinstance(o, Aggregated)]
        assert {each.provider for o in told_of for each in o.aggregates} == {"local"}


@pytest.mark.parametrize(
    ("taken", "code"),
    [(10**400, "number_out_of_range"), (-(10**400), "number_out_of_range"), (10**20, "bad_type")],
    ids=["long", "long and negative", "beyond 64 bits"],
)
def test_a_repetition_of_more_digits_than_a_float_holds_is_rejected(taken, code):
    row = json.loads(sample("llama_bench/tests.jsonl").splitlines()[0])
    row["samples_ns"] = [41_000_000, taken]
    (outcome,) = told("llama_bench", json.dumps(row).encode())
    assert (outcome.code, outcome.field) == (code, "samples_ns[1]")


def test_a_benchmark_counts_as_usage_only_when_asked():
    options = Options(assumed_time=MIDNIGHT, counts_as_usage=True, provider="local")
    for name in ("vllm_bench/runs.jsonl", "aiperf/profile_export.jsonl"):
        books = Books.of(read_sample(name, options=options))
        assert {record.use.purpose for record in books.events.values()} == {"usage"}
        assert {record.use.provider for record in books.events.values()} == {"local"}


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("vllm_bench", b'"duration": 2.5, "completed": 2, "total', b'"duration": 1e300, "completed": 2, "total', "bad_duration"),
        ("vllm_bench", b"[5120.5, 5120.75", b"[5120.5, 1e200", "bad_duration"),
        ("vllm_bench", b'"ttfts": [0.04', b'"ttfts": [-0.04', "bad_duration"),
        ("vllm_bench", b'"date": "20260407-081500"', b'"date": "20260230-081500"', "bad_time"),
        ("sglang_bench", b'"itls": [[0.01', b'"itls": [[1e15', "bad_duration"),
        ("sglang_bench", b'"duration": 4.0', b'"duration": -1', "bad_duration"),
    ],
)  # fmt: skip
def test_times_that_cannot_be_are_rejected(name, old, new, code):
    body = sample(f"{name}/runs.jsonl").replace(old, new)
    assert body != sample(f"{name}/runs.jsonl")
    assert code in {found for _, found in refused(whole(name, body))}


def test_empty_arrays_are_arrays_that_were_not_kept():
    line = (
        sample("vllm_bench/runs.jsonl").splitlines()[1].replace(b'"errors": [""]', b'"errors": []')
    )
    assert totals(Books.of(whole("vllm_bench", line))) == (1, 64, None, None, 1, None)
