"""Benchmark runs as a page shows them."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from accounting.models import Run
from accounting.queries.benchmarks import benchmark_runs
from accounting.services.pricebooks import import_table
from accounting.web.latencies import latency
from ingest.services.paths import read_path
from ingest.services.receive import Sender
from tests.factories import ProjectFactory

SAMPLES = Path(__file__).parents[1] / "samples"
TAGS = re.compile(r"<[^>]*>")


def read(organization, path):
    ProjectFactory(organization=organization, slug="default")
    read_path(str(SAMPLES / path), sender=Sender(organization_id=organization.pk))
    return Run.objects.of(organization.pk).order_by("pk")


def words(answer):
    """What a page says, without its tags."""
    return " ".join(TAGS.sub(" ", answer.content.decode()).split())


@pytest.mark.parametrize(
    ("milliseconds", "kind", "text", "tone"),
    [
        (1_000, "ttft", "1.00 s", "good"),
        (1_000.5, "ttft", "1.00 s", ""),
        (2_001, "ttft", "2.00 s", "danger"),
        (18.7, "tpot", "18.7 ms", "good"),
        (60, "tpot", "60.0 ms", "good"),
        (100, "tpot", "100 ms", ""),
        (200, "tpot", "200 ms", "caution"),
        (200.1, "tpot", "200 ms", "danger"),
        (None, "tpot", "–", ""),
    ],
)
def test_a_latency_falls_into_its_band(milliseconds, kind, text, tone):
    found = latency(milliseconds, kind)
    assert (found.text, found.tone) == (text, tone)


@pytest.mark.parametrize(
    ("path", "figures"),
    [
        # 40 and 50 ms to the first token; 40 / 4 and 30 / 2 ms for each further one.
        (
            "vllm_bench/runs.jsonl",
            ("45.0 ms", "49.5 ms", "12.5 ms", "14.8 ms", "31.0 ms", "8.00 /s"),
        ),
        ("guidellm/benchmarks.json", ("90.0 ms", "28.0 ms")),
        ("aiperf/profile_export.jsonl", ("40.8 ms", "41.0 ms", "15.5 ms")),
        # Of 0.4123, 98, 98, 105, 412.3 and 500 ms; and of 0.0187, 10, 15 and 18.7.
        ("token_timing/run.jsonl", ("102 ms", "478 ms", "12.5 ms", "18.1 ms")),
    ],
)
def test_the_samples_show_their_figures(page, organization, path, figures):
    runs = read(organization, path)
    shown = words(page.get("/benchmarks/"))
    shown += "".join(words(page.get(f"/benchmarks/{run.pk}/")) for run in runs)
    assert [figure for figure in figures if figure not in shown] == []


def test_two_runs_stand_side_by_side_with_what_differs(page, organization):
    one, other, *_rest = read(organization, "vllm_bench/runs.jsonl")
    shown = words(page.get(f"/benchmarks/two/?run={one.pk}&run={other.pk}"))
    assert "TTFT, median 45.0 ms 31.0 ms −31.1 %" in shown
    assert "request_rate 4.0 inf" in shown
    assert "Errors 1 0 −100.0 %" in shown


def test_what_a_summary_leaves_out_is_unknown_and_not_0(page, organization):
    runs = read(organization, "vllm_bench/runs.jsonl")
    by_rate = {run.settings["request_rate"]: run.pk for run in runs}
    shown = words(page.get(f"/benchmarks/two/?run={by_rate['8.0']}&run={by_rate['4.0']}"))
    assert "Errors – 1 –" in shown


def test_a_run_by_itself_says_what_the_tool_says(page, organization):
    runs = read(organization, "vllm_bench/runs.jsonl")
    told = next(run for run in runs if run.settings["request_rate"] == "8.0")
    shown = words(page.get(f"/benchmarks/{told.pk}/"))
    assert "as the tool says" in shown
    assert "mean_ttft_ms 50.0" in shown


@pytest.fixture
def priced_runs(organization):
    """The samples of vLLM, their model at 0.05 USD a million in and 0.20 out."""
    rates = [
        {
            "provider": "",
            "model": "Qwen/Qwen3-8B",
            "unit": unit,
            "price": price,
            "from": "2020-01-01",
        }
        for unit, price in (("input", "0.05"), ("output", "0.2"))
    ]
    table = {"book": {"code": "own", "currency": "USD"}, "rates": rates}
    import_table(json.dumps(table).encode(), organization=organization)
    return read(organization, "vllm_bench/runs.jsonl")


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        # 32.3 tokens a second, but of no request that tells a time per token: that keeps no limit.
        (
            "ttft=60",
            "rate inf · 2026-04-07 08:20:00 : output tokens at 32.3 /s, 3.40 USD per million",
        ),
        ("ttft=60", "2 of the newest 3 runs"),
        ("ttft=40&tpot=", "rate inf · 2026-04-07 08:20:00 : output tokens at 32.3 /s"),
        (
            "ttft=60&tpot=20",
            "rate 4.0 · 2026-04-07 08:15:00 : output tokens at 24.2 /s, 2.08 USD per",
        ),
        ("ttft=60&tpot=20", "1 of the newest 3 runs"),
        ("ttft=&tpot=14", "No run keeps within these limits."),
        ("ttft=20&tpot=20", "No run keeps within these limits."),
    ],
)
def test_the_fastest_run_within_limits_is_named_with_its_price(page, priced_runs, limits, said):
    assert said in words(page.get(f"/benchmarks/?{limits}"))


@pytest.mark.parametrize("limits", ["ttft=soon", "ttft=-1", "tpot=1e99"])
def test_a_limit_that_is_none_is_refused_in_words(page, priced_runs, limits):
    answer = page.get(f"/benchmarks/?{limits}")
    assert answer.status_code == 400
    assert "errors" in answer.content.decode()
    assert "Within these limits" not in answer.content.decode()


@pytest.mark.parametrize(
    "query", ["", "?run=1", "?run=1&run=1", "?run=x&run=2", "?run=1&run=2&run=3"]
)
def test_a_comparison_of_other_than_two_runs_leads_back_to_the_list(page, organization, query):
    read(organization, "vllm_bench/runs.jsonl")
    shown = words(page.get(f"/benchmarks/two/{query}", follow=True))
    assert "A comparison takes two different runs" in shown


def test_a_test_of_prompts_alone_has_no_speed_of_output(organization):
    read(organization, "llama_bench/tests.jsonl")
    speeds = {
        run.totals.input_tokens: run.output_tokens_per_second
        for run in benchmark_runs(organization.pk, limit=9).runs
    }
    assert speeds[2 * 256] is None
    assert speeds[0] == Fraction(128_000, 1_290)


def test_runs_that_are_not_there_are_not_found(page, organization):
    (one, *_rest) = read(organization, "vllm_bench/runs.jsonl")
    assert page.get(f"/benchmarks/two/?run={one.pk}&run=999999999").status_code == 404
    assert page.get("/benchmarks/999999999/").status_code == 404


def test_a_cursor_that_is_none_is_refused_in_words(page):
    answer = page.get("/benchmarks/?after=yesterday")
    assert answer.status_code == 400
    assert "This page of the table is not there" in answer.content.decode()


def test_names_with_markup_are_text(page, organization):
    Run.objects.create(
        organization=organization,
        label="<script>alert(1)</script>",
        tool="x",
        settings={"<b>": "<i>"},
    )
    run = Run.objects.get()
    for address in ("/benchmarks/", f"/benchmarks/{run.pk}/"):
        text = page.get(address).content.decode()
        assert "<script>alert" not in text
        assert "<i>" not in text
