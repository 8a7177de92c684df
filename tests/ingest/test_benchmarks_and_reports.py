"""Benchmark runs, reports kept for comparison and mapped tables, from the file to the tables."""

import json
from decimal import Decimal

import pytest
from openpyxl import Workbook

from accounting.models import Run, UsageAggregate, UsageEvent
from tests.formats.reading import SAMPLES, sample
from tests.ingest.conftest import is_conserved, only_import


def test_a_third_vllm_run_appended_is_one_run_new(ingest, log):
    lines = sample("vllm_bench/runs.jsonl").splitlines(keepends=True)
    ingest(log("runs.json", b"".join(lines[:2])))
    third = lines[1].replace(b"20260407-082000", b"20260407-090000")
    (told, _), code = ingest(log("runs.json", b"".join([*lines[:2], third])))
    assert (told["lines"], told["recorded"], told["duplicates"], code) == (3, 1, 2, 0)
    assert (told["requests"], told["input_tokens"]) == (1, 64)
    runs = Run.objects.order_by("started_at")
    assert [run.label for run in runs] == [
        "night · rate 4.0 · 2026-04-07 08:15:00",
        "night · rate inf · 2026-04-07 08:20:00",
        "night · rate inf · 2026-04-07 09:00:00",
    ]
    assert runs[0].settings["gpu"] == "L40S"
    events = UsageEvent.objects.filter(run_id=runs[0].pk)
    assert {event.purpose for event in events} == {"benchmark"}
    assert events.count() == 3


def test_a_summary_is_an_aggregate_of_its_run(ingest):
    (told, _), _ = ingest(SAMPLES / "vllm_bench/runs.jsonl")
    assert (told["lines"], told["recorded"], told["rejected"]) == (6, 3, 3)
    assert told["aggregate"]["requests"] == 2
    kept = UsageAggregate.objects.get()
    assert (kept.purpose, kept.input_tokens, kept.run.label[:14]) == (
        "benchmark",
        200,
        "night · rate 8",
    )


def test_a_report_changes_nothing_in_the_books_and_stands_once(ingest):
    path = SAMPLES / "anthropic_usage_report/messages.json"
    (told, total), _ = ingest(path)
    assert (told["state"], told["lines"], told["recorded"]) == ("done", 1, 1)
    assert (told["requests"], told["input_tokens"]) == (0, None)
    assert told["aggregate"] == total["aggregate"]
    assert told["aggregate"]["input_tokens"] == 2000
    assert told["aggregate"]["web_search_requests"] == 2
    assert told["aggregate"]["requests"] is None
    (again, _), _ = ingest(path)
    assert (again["state"], again["duplicates"], again["recorded"]) == ("unchanged", 1, 0)
    assert again["aggregate"]["input_tokens"] == 0
    assert UsageAggregate.objects.count() == 2
    assert not UsageEvent.objects.exists()


def test_a_later_report_of_the_same_day_replaces_the_figures(ingest, log):
    report = sample("openai_org_costs/costs.json")
    ingest(log("costs.json", report))
    (told, _), _ = ingest(log("costs.json", report.replace(b"0.0325", b"0.0400")))
    assert (told["updated"], told["recorded"], told["duplicates"]) == (1, 0, 0)
    assert told["aggregate"]["reported_cost"] == {"USD": "0.0075"}
    amounts = UsageAggregate.objects.values_list("reported_cost", flat=True)
    assert sorted(amounts) == [Decimal("0.000015"), Decimal("0.04")]


def test_cumulative_points_are_kept_as_their_last_state(ingest, log):
    lines = sample("otlp_metrics/metrics.jsonl").splitlines(keepends=True)
    (late, _), _ = ingest(log("late.jsonl", lines[1]))
    (early, _), _ = ingest(log("early.jsonl", lines[0]))
    assert late["aggregate"]["input_tokens"] == 2100
    assert (early["state"], early["aggregate"]["input_tokens"]) == ("unchanged", 0)
    both = UsageAggregate.objects.values_list("input_tokens", "output_tokens")
    assert set(both) == {(2100, None), (None, 190)}


def test_scrapes_of_a_folder_are_one_series(ingest):
    (told, _), _ = ingest(SAMPLES / "prometheus")
    assert (told["format"], told["lines"], told["recorded"]) == ("prometheus", 3, 3)
    assert told["aggregate"]["input_tokens"] == 6000
    assert told["aggregate"]["output_tokens"] == 1590
    assert told["aggregate"]["uncached_input_tokens"] == 70
    (again, _), _ = ingest(SAMPLES / "prometheus")
    assert (again["state"], again["aggregate"]["input_tokens"]) == ("unchanged", 0)


def test_a_dry_run_of_a_report_leaves_nothing(ingest):
    (told, _), _ = ingest(SAMPLES / "github_ai_usage/usage.csv", "--dry-run")
    assert told["aggregate"]["credits"] == "9.75"
    assert told["aggregate"]["reported_cost"] == {"USD": "0.1925"}
    assert not UsageAggregate.objects.exists()


MAPPING = {
    "name": "导出",
    "columns": {
        "started_at": "时间",
        "model": "模型",
        "input_tokens": "输入",
        "output_tokens": "输出",
    },
    "time": "iso",
    "zone": "Asia/Shanghai",
}
ROWS = [
    ["时间", "模型", "输入", "输出"],
    ["2026-04-07 16:00:00", "通义千问", "100", "20"],
    ["2026-04-07 16:01:00", "通义千问", "x", "20"],
    ["2026-04-07 16:02:00", "通义千问", "50", "5"],
]
CSV = "".join(",".join(row) + "\n" for row in ROWS)


@pytest.fixture
def mapping(log):
    return log("mapping.json", json.dumps(MAPPING, ensure_ascii=False).encode())


def test_a_table_is_read_by_a_mapping(ingest, log, mapping):
    path = log("table.csv", CSV.encode())
    (told, _), code = ingest(path, "--mapping", mapping)
    assert (told["format"], told["state"], code) == ("mapping", "done", 0)
    assert (told["requests"], told["input_tokens"], told["output_tokens"]) == (2, 150, 25)
    assert [(row["line"], row["code"]) for row in told["rejections"]] == [(3, "bad_count")]
    assert is_conserved(only_import())
    assert only_import().options["mapping"] == MAPPING
    (again, _), _ = ingest(path, "--mapping", mapping)
    assert (again["state"], again["recorded"]) == ("unchanged", 0)


def test_gb18030_is_offered_and_read_when_it_is_chosen(ingest, log, mapping):
    path = log("table.csv", CSV.encode("gb18030"))
    (told, _), code = ingest(path, "--mapping", mapping)
    assert (told["state"], code) == ("refused", 1)
    assert told["rejections"][0]["code"] == "encoding_not_utf8"
    assert "GB18030" in told["rejections"][0]["reason"]
    (told, _), code = ingest(path, "--mapping", mapping, "--encoding", "gb18030")
    assert (told["requests"], told["input_tokens"], code) == (2, 150, 0)
    assert UsageEvent.objects.first().request_model == "通义千问"


def test_a_workbook_is_read_row_by_row(ingest, log, mapping, tmp_path):
    book = Workbook()
    for row in ROWS:
        book.active.append(row)
    book.active.cell(row=4, column=3).value = 50.0
    book.save(tmp_path / "table.xlsx")
    (told, _), code = ingest(tmp_path / "table.xlsx", "--mapping", mapping)
    assert (told["requests"], told["input_tokens"], code) == (2, 150, 0)
    assert [(row["line"], row["code"]) for row in told["rejections"]] == [(3, "bad_count")]


def test_a_workbook_of_several_sheets_needs_a_name(ingest, log, mapping, tmp_path):
    book = Workbook()
    book.create_sheet("Ada is ill, tell nobody")
    book.create_sheet("usage").append(ROWS[0])
    book["usage"].append(ROWS[1])
    book.save(tmp_path / "table.xlsx")
    (told, _), code = ingest(tmp_path / "table.xlsx", "--mapping", mapping)
    assert (told["rejections"][0]["code"], code) == ("unknown_sheet", 1)
    reason = told["rejections"][0]["reason"]
    assert reason == "which sheet? there are 3 sheets, among them Sheet, usage"
    named = log("named.json", json.dumps({**MAPPING, "sheet": "usage"}).encode())
    (told, _), code = ingest(tmp_path / "table.xlsx", "--mapping", named)
    assert (told["requests"], code) == (1, 0)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"a,b\n1,2\n", "missing_column"),
        (b"PK\x03\x04 not a workbook", "bad_xlsx"),
        (b"", "empty_file"),
    ],
)
def test_what_a_mapping_does_not_fit_is_refused(ingest, log, mapping, body, code):
    (told, _), exit_code = ingest(log("table", body), "--mapping", mapping)
    assert (told["rejections"][0]["code"], exit_code) == (code, 1)


def test_of_a_header_that_a_mapping_does_not_fit_only_names_are_told(ingest, log, mapping):
    body = b"model,please tell nobody that Ada is ill\n1,2\n"
    (told, _), _ = ingest(log("table", body), "--mapping", mapping)
    reason = told["rejections"][0]["reason"]
    assert reason == "no column is named '时间'; there are 2 columns, among them model"


def test_a_bad_mapping_is_wrong_usage(ingest, log):
    told, code = ingest(log("t.csv", b"a,b\n"), "--mapping", log("m.json", b'{"columns": {}}'))
    assert (told, code) == ([], 2)
