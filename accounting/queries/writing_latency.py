"""Latencies as programs read them: measurements in ms, and so plain numbers."""

from accounting.queries.grammar import LATENCIES
from accounting.queries.latency import LatencyRow
from accounting.queries.latency_sums import Percentiles
from accounting.queries.writing import Written, written_bucket, written_members


def written_latency_row(row: LatencyRow) -> Written:
    """One bucket of one group."""
    return {
        "bucket": written_bucket(row.bucket),
        **written_members(row.group, row.sub),
        **written_latencies(row),
    }


def written_latencies(row: LatencyRow) -> Written:
    """Each latency by its name."""
    return {kind: _told(getattr(row, kind)) for kind in LATENCIES}


def _told(found: Percentiles) -> Written:
    return {
        "requests": found.requests,
        "p50_ms": found.p50,
        "p95_ms": found.p95,
        "p99_ms": found.p99,
    }
