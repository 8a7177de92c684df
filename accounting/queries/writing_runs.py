"""Benchmark runs as programs read them. Latencies are measurements, in ms, and so plain numbers."""

from datetime import tzinfo

from accounting.queries.benchmarks import BenchmarkRun, Told
from accounting.queries.writing import (
    Written,
    amount_or_none,
    ratio_or_none,
    written_totals,
)


def written_run(run: BenchmarkRun, zone: tzinfo) -> Written:
    """One run: what its requests in the books come to, and what its own summary says, if it has one."""
    measured = run.measured
    elapsed = measured.elapsed
    return {
        "run_id": run.id,
        "label": run.label,
        "tool": run.tool,
        "model": run.model or None,
        "settings": dict(run.settings),
        "started_at": run.started_at.astimezone(zone).isoformat() if run.started_at else None,
        "ttft_ms_p50": measured.ttft_p50,
        "ttft_ms_p95": measured.ttft_p95,
        "tpot_ms_p50": measured.tpot_p50,
        "tpot_ms_p95": measured.tpot_p95,
        "elapsed_s": elapsed.total_seconds() if elapsed is not None else None,
        "output_tokens_per_second": ratio_or_none(run.output_tokens_per_second),
        "cost_per_mtok_output": {
            currency: ratio_or_none(price) for currency, price in run.cost_per_mtok_output
        },
        "told": _told(run.told) if run.told else None,
        "totals": written_totals(run.totals),
    }


def _told(told: Told) -> Written:
    return {
        "requests": told.requests,
        "input_tokens": told.input_tokens,
        "cache_read_input_tokens": told.cache_read_input_tokens,
        "output_tokens": told.output_tokens,
        "reported_cost": amount_or_none(told.reported_cost),
        "reported_currency": told.reported_currency or None,
        "elapsed_s": told.elapsed.total_seconds(),
        "figures": dict(told.figures),
    }
