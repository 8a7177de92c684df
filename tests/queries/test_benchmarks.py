"""Benchmark runs."""

from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest

from accounting.models import Import, Run, UsageAggregate
from accounting.queries.benchmarks import Measured, benchmark_runs, runs_side_by_side
from tests.factories import ImportFactory, OrganizationFactory
from tests.queries.posted import NOON, posted, priced_organization

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization():
    return priced_organization()


def run(organization, label, started_at=NOON, **settings):
    return Run.objects.create(
        organization=organization, label=label, tool="vllm_bench", model="opal",
        settings=settings, started_at=started_at,
    )  # fmt: skip


def measured(organization, of, *requests):
    for n, (after_s, output, duration_ms, ttft_ms, *more) in enumerate(requests):
        posted(
            organization,
            {
                "response_id": f"{of.pk}-{n}", "purpose": "benchmark", "output_tokens": output,
                "duration_ms": duration_ms, "ttft_ms": ttft_ms, "tpot_ms": 2.0 * (n + 1),
                "place": {"run_id": of.pk}, **(more[0] if more else {}),
            },
            at=NOON + timedelta(seconds=after_s),
        )  # fmt: skip


def test_a_run_is_measured_by_its_requests(organization, django_assert_num_queries):
    one = run(organization, "one", rate="4")
    failed = {"status": "error", "output_tokens": None, "usage_state": "missing"}
    measured(
        organization, one, (0, 100, 4_000.0, 100.0), (1, 300, 9_000.0, 300.0),
        (2, None, 60_000.0, 900.0, failed),
    )  # fmt: skip
    posted(organization, {"purpose": "benchmark"})
    with django_assert_num_queries(4):
        page = benchmark_runs(organization.pk)
    (found,) = page.runs
    assert (found.label, found.tool, found.settings) == ("one", "vllm_bench", {"rate": "4"})
    assert (found.totals.requests, found.totals.errors, found.totals.output_tokens) == (2, 1, 400)
    assert found.measured == Measured(
        ttft_p50=200.0, ttft_p95=pytest.approx(290.0), tpot_p50=3.0, tpot_p95=pytest.approx(3.9),
        elapsed=timedelta(seconds=10),
    )  # fmt: skip
    assert found.output_tokens_per_second == 40
    assert found.totals.cost_in("USD") == Decimal("0.00018")
    assert found.cost_per_mtok_output == (("USD", Fraction("0.45")),)
    assert found.told is None


def test_requests_that_all_bear_one_time_give_no_rate(organization):
    one = run(organization, "one")
    measured(organization, one, (0, 100, 4_000.0, 100.0), (0, 300, 9_000.0, 300.0))
    (found,) = benchmark_runs(organization.pk).runs
    assert (found.measured.elapsed, found.output_tokens_per_second) == (None, None)
    alone = run(organization, "alone")
    measured(organization, alone, (0, 100, 4_000.0, 100.0))
    assert benchmark_runs(organization.pk).runs[0].output_tokens_per_second == 25


def test_a_summary_stands_where_there_are_no_requests(organization):
    one = run(organization, "one")
    source = ImportFactory(organization=organization)
    for n, output in enumerate((500, 600)):
        UsageAggregate.objects.create(
            organization=organization, source_import=source, run=one, source="vllm_bench",
            purpose="benchmark", period_start=NOON, period_end=NOON + timedelta(seconds=10 + n),
            requests=7, output_tokens=output, notes={"mean_ttft_ms": "41.5"},
            fingerprint=bytes([n] * 16),
        )  # fmt: skip
    (found,) = benchmark_runs(organization.pk).runs
    assert (found.told.requests, found.told.output_tokens, found.told.input_tokens) == (
        7,
        600,
        None,
    )
    assert found.told.figures == {"mean_ttft_ms": "41.5"}
    assert found.output_tokens_per_second == Fraction(600, 11)
    assert (found.totals.requests, found.cost_per_mtok_output) == (0, ())
    assert Import.objects.count() == 1


def test_pages_hold_every_run_once_newest_first(organization):
    for day in (1, 3, 3, None):
        started = None if day is None else NOON.replace(day=day)
        run(organization, f"{day}-{Run.objects.count()}", started_at=started)
    run(OrganizationFactory(), "foreign")
    seen, after = [], None
    for _ in range(4):
        page = benchmark_runs(organization.pk, limit=1, after=after)
        seen.append(page.runs[0].label)
        after = page.runs[0].key
    assert seen == ["3-2", "3-1", "1-0", "None-3"]
    assert not page.has_more


def test_two_runs_side_by_side(organization, django_assert_num_queries):
    one = run(organization, "one", rate="4", backend="vllm")
    other = run(organization, "other", rate="8", backend="vllm", gpus="2")
    measured(organization, one, (0, 100, 4_000.0, 100.0))
    measured(organization, other, (0, 100, 2_000.0, 50.0))
    with django_assert_num_queries(4):
        pair = runs_side_by_side(organization.pk, other.pk, one.pk)
    assert (pair.one.label, pair.other.label) == ("other", "one")
    assert pair.differing == (("gpus", "2", None), ("rate", "8", "4"))
    assert pair.one.output_tokens_per_second == 2 * pair.other.output_tokens_per_second == 50
    assert runs_side_by_side(organization.pk, one.pk, one.pk).differing == ()
    assert runs_side_by_side(OrganizationFactory().pk, one.pk, other.pk) is None


def test_without_runs_there_is_an_empty_page(organization):
    assert benchmark_runs(organization.pk).runs == ()
