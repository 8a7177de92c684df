"""Reports and counters: read for comparison, each row with its period and dimensions."""

from decimal import Decimal

import pytest

from ingest.formats import by_name
from ingest.formats.base import Aggregated, Counted, Options
from ingest.formats.cutting import Layout
from ingest.formats.detection import detect
from tests.formats.aggregates import rows, summed
from tests.formats.reading import MIDNIGHT, read_sample, refused, sample, skipped, told


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # requests, input, cache read, cache write, output
        ("openai_org_usage/completions.json", (9, 5000, 2500, None, 950)),
        ("openai_org_costs/costs.json", (None, None, None, None, None)),
        ("anthropic_usage_report/messages.json", (None, 2000, 1700, 100, 140)),
        ("anthropic_cost_report/costs.json", (None, None, None, None, None)),
        ("anthropic_console_usage/usage.csv", (None, 4025, 3000, 25, 60)),
        ("anthropic_console_usage/older.csv", (None, 630, 100, 30, 40)),
        ("github_ai_usage/usage.csv", (None, 5800, 4000, 300, 290)),
        ("otlp_metrics/metrics.jsonl", (5, 2100, 18000, 1000, 790)),
    ],
)
def test_totals_are_right(name, expected):
    assert summed(rows(name)) == expected


@pytest.mark.parametrize(
    ("name", "amount"),
    [
        ("openai_org_costs/costs.json", "0.032515"),
        ("anthropic_cost_report/costs.json", "2.51125"),
        ("anthropic_console_cost/cost.csv", "0.0039"),
        ("github_ai_usage/usage.csv", "0.1925"),
        ("otlp_metrics/metrics.jsonl", "0.0246"),
    ],
)
def test_amounts_are_right(name, amount):
    told_rows = rows(name)
    assert summed(told_rows, "reported_cost") == (Decimal(amount),)
    assert {a.reported_currency for a in told_rows if a.reported_cost is not None} == {"USD"}


@pytest.mark.parametrize(
    "name",
    [
        "openai_org_usage/completions.json",
        "openai_org_costs/costs.json",
        "anthropic_usage_report/messages.json",
        "anthropic_cost_report/costs.json",
        "anthropic_console_usage/usage.csv",
        "anthropic_console_cost/cost.csv",
        "github_ai_usage/usage.csv",
        "otlp_metrics/metrics.jsonl",
        "prometheus/1.prom",
    ],
)
def test_a_report_is_never_an_event(name):
    outcomes = read_sample(name)
    assert not any(isinstance(outcome, Counted) for outcome in outcomes)
    again = [a.fingerprint for o in read_sample(name) for a in getattr(o, "aggregates", ())]
    assert again == [a.fingerprint for o in outcomes for a in getattr(o, "aggregates", ())]


def test_a_bucket_without_results_is_skipped_and_a_bad_one_rejected():
    outcomes = read_sample("openai_org_usage/completions.json")
    assert skipped(outcomes) == [2]
    assert refused(outcomes) == [(3, "bad_count")]
    assert refused(read_sample("anthropic_console_usage/usage.csv")) == [(3, "bad_count")]


def test_rows_of_one_day_are_told_apart_by_their_dimensions():
    live, batch = rows("openai_org_usage/completions.json")
    assert (dict(live.dimensions)["batch"], dict(batch.dimensions)["batch"]) == ("false", "true")
    assert live.period_start.isoformat() == "2026-04-07T00:00:00+00:00"
    assert live.period_end.isoformat() == "2026-04-08T00:00:00+00:00"
    assert (live.provider, live.model) == ("openai", "gpt-5.2-2025-12-11")


def test_two_equal_rows_of_a_table_are_two_rows():
    header, first, *_ = sample("anthropic_console_cost/cost.csv").splitlines(keepends=True)
    outcomes = told("anthropic_console_cost", header + first * 2, layout=Layout.CSV)
    fingerprints = [a.fingerprint for outcome in outcomes for a in outcome.aggregates]
    assert len(set(fingerprints)) == 2


def test_web_searches_and_credits_are_counted_apart():
    assert summed(rows("anthropic_usage_report/messages.json"), "web_search_requests") == (2,)
    credits_used, auto, review = rows("github_ai_usage/usage.csv")
    assert (credits_used.credits, auto.credits) == (Decimal("2.5"), Decimal("7.25"))
    assert review.credits is None
    assert (auto.model, dict(auto.dimensions)["chosen"]) == ("Claude Haiku 4.5", "auto")
    assert auto.period_start.isoformat() == "2026-09-03T00:00:00+00:00"
    assert dict(auto.dimensions)["cost_center_name"] == "Web, Europe"


def scraped(*names):
    known = by_name("prometheus")
    state, found = known.new_state(), []
    for name in names:
        options = Options(assumed_time=MIDNIGHT)
        found += told("prometheus", sample(name), options=options, layout=Layout.TEXT, state=state)
    return [a for outcome in found for a in outcome.aggregates]


def test_counters_add_what_they_moved_and_start_anew_after_a_restart():
    steps = scraped("prometheus/1.prom", "prometheus/2.prom", "prometheus/3.prom")
    assert summed(steps) == (12, 5600 + 400, 3200, None, 1500 + 90)
    assert summed(steps, "uncached_input_tokens") == (70,)
    assert steps[0].model == "qwen3-8b"
    grown = next(step for step in steps if step.input_tokens == 600)
    assert grown.period_start.isoformat() == "2026-04-07T08:00:00+00:00"
    assert grown.period_end.isoformat() == "2026-04-07T09:00:00+00:00"


def test_a_scrape_added_later_adds_only_its_own_steps():
    before = {a.fingerprint for a in scraped("prometheus/1.prom", "prometheus/2.prom")}
    after = scraped("prometheus/1.prom", "prometheus/2.prom", "prometheus/3.prom")
    assert before < {a.fingerprint for a in after}
    assert len(after) - len(before) == 3


@pytest.mark.parametrize("value", ["NaN", "-1", "1.5", "1e13"])
def test_a_counter_that_is_no_count_is_rejected(value):
    outcomes = told(
        "prometheus", f"vllm:prompt_tokens_total {value}\n".encode(), layout=Layout.TEXT
    )
    assert refused(outcomes) == [(1, "bad_count")]


def test_cumulative_points_of_one_series_are_one_row():
    first, second, *_ = read_sample("otlp_metrics/metrics.jsonl")
    assert [a.fingerprint for a in first.aggregates] == [a.fingerprint for a in second.aggregates]
    assert second.aggregates[0].period_end > first.aggregates[0].period_end


def test_delta_points_are_rows_of_their_own_and_their_convention_is_known():
    third, fourth = read_sample("otlp_metrics/metrics.jsonl")[2:4]
    assert isinstance(third, Aggregated)
    assert not {a.fingerprint for a in third.aggregates} & {
        a.fingerprint for a in fourth.aggregates
    }
    assert summed(third.aggregates, "uncached_input_tokens", "input_tokens") == (12, None)
    assert {a.provider for a in third.aggregates} == {"anthropic"}


def test_points_of_unknown_temporality_are_rejected():
    outcomes = read_sample("otlp_metrics/metrics.jsonl")
    assert refused(outcomes) == [(6, "bad_temporality")]
    assert skipped(outcomes) == [5]


def test_a_page_longer_than_the_sample_is_told_by_its_first_bucket():
    page = sample("openai_org_usage/completions.json")
    start = page.index(b'{\n   "object": "bucket"')
    end = page.index(b'{\n   "object": "bucket"', start + 1)
    long = page[:end] + page[start:end] * 200 + page[end:]
    assert detect(long[: 64 * 1024]).format.name == "openai_org_usage"
