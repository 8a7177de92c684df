"""Which run is the fastest that keeps within limits of waiting, and what it charges for that."""

from collections.abc import Sequence
from dataclasses import dataclass

from accounting.queries.benchmarks import BenchmarkRun
from accounting.web.forms.limits import Limits
from accounting.web.run_lines import RunLine, measured_ms, run_line


@dataclass(frozen=True, slots=True, kw_only=True)
class BestRun:
    """The answer to limits. line: None where no run keeps them; within: how many of looked_at do.

    Only runs count that tell every latency that is limited, and their speed: what is unknown keeps
    no limit.
    """

    limits: Limits
    line: RunLine | None
    within: int
    looked_at: int


def best_run(runs: Sequence[BenchmarkRun], limits: Limits) -> BestRun:
    """The run with the most output tokens per second of those within the limits."""
    kept = [run for run in runs if _is_within(run, limits) and run.output_tokens_per_second]
    best = max(kept, key=lambda run: run.output_tokens_per_second or 0, default=None)
    return BestRun(
        limits=limits,
        line=run_line(best) if best else None,
        within=len(kept),
        looked_at=len(runs),
    )


def _is_within(run: BenchmarkRun, limits: Limits) -> bool:
    asked = (("ttft_p95", limits.ttft_ms), ("tpot_p95", limits.tpot_ms))
    return all(
        limit is None or ((told := measured_ms(run, name)) is not None and told <= limit)
        for name, limit in asked
    )
